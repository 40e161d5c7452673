"""From a container of a pod's object to what the shim is asked to start: command, environment, root, limits, devices.

``pod_sandbox`` decides when, here is with what. Each attempt gets a scratch folder and a log of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sidings.api.objects import Object, annotations_of
from sidings.node import environment, folders, logs, masks, mpi_image, security, software
from sidings.node.checkouts import checkouts
from sidings.node.container_engine.image import Image
from sidings.node.container_engine.image_run import has_command, image_run
from sidings.node.environment import NodeFacts
from sidings.node.errors import SandboxFailed
from sidings.node.gpus import gang_links, peers, sockets_library
from sidings.node.gpus.manager import device_files
from sidings.node.gpus.source import Unit
from sidings.node.limits.limiter import Hold
from sidings.node.pod_security import PodSecurity
from sidings.node.sandbox import identity
from sidings.node.sandbox.credentials import Credentials
from sidings.node.sandbox.rootfs import SCRATCH, WORK
from sidings.node.sandbox.spec import Bind, Container, Root
from sidings.node.security import Means
from sidings.node.volumes import host_path, mounting
from sidings.node.workshop import Workshop

WORKING_DIRECTORY = "sidings.dev/working-directory"
"""Annotation: the folder in which ``sidings run`` was started; visible and writable at its own path."""
NVLINK_NOT_KEPT = "NVLinkNotKept"


class Given(NamedTuple):
    """What an attempt finds ready: what its references lead to, its node, its volumes, and what it may be given."""

    inputs: mounting.Inputs
    facts: NodeFacts
    volumes: mounting.PodVolumes
    means: Means


class ContainerSpecs:
    """Of one pod, whose ``group`` shares memory with it."""

    def __init__(self, uid: str, group: str, directory: Path, pod_security: PodSecurity, shop: Workshop) -> None:
        self._uid = uid
        self._group = group
        self._directory = directory
        self._security = pod_security
        self._shop = shop

    async def spec(self, pod: Object, container: Object, number: int, given: Given) -> Container:
        """Of attempt ``number``. Raises ``SandboxFailed`` and ``ImageUnavailable``."""
        gang = await self._gang(pod) if given.facts.units else ""
        library = await asyncio.to_thread(sockets_library.ensure, self._shop.libraries) if gang else None
        image = await self._image(pod, container)
        return self._spec(pod, container, number, given, gang, library, image)

    async def _gang(self, pod: Object) -> str:
        """What the pod, which has GPUs, shares with peers that have some too; ``""`` where there can be none."""
        images = self._shop.images
        shares_memory = images is None or images.engine.shares_memory
        if self._group == self._uid or not shares_memory:
            return ""
        return self._group if await peers.can_have_peers(self._shop.client, pod) else ""

    async def _image(self, pod: Object, container: Object) -> Image | None:
        """What the container runs from; None without a container engine. Raises ``ImageUnavailable``."""
        if self._shop.images is None:
            return None
        reference, policy = container.get("image") or "", container.get("imagePullPolicy") or ""

        def note(type_: str, reason: str, message: str) -> None:
            self._shop.note(pod, type_, reason, message)

        return await self._shop.images.ensure(self._uid, reference, policy, note)

    def _spec(
        self,
        pod: Object,
        container: Object,
        number: int,
        given: Given,
        gang: str,
        library: Path | None,
        image: Image | None,
    ) -> Container:
        name = container["name"]
        config = self._shop.config
        prefix = (
            software.prefix_for(container.get("image") or "", config.images, config.python_prefix)
            if image is None
            else None
        )
        variables = environment.resolve(
            container, pod, given.inputs.sources, given.facts, prefix, self._shop.service_variables(pod)
        )
        argv = environment.arguments(container, variables) if image is None else ()
        own = software.own_program(container, config.python_prefix) if image is None else None
        if own is not None:
            argv, variables = own.argv, {**variables, **own.environment}
        if image is not None and not has_command(container, image):
            raise SandboxFailed("no command specified", cause="neither the container nor its image has one")
        if image is None and not argv:
            raise SandboxFailed("no command specified", cause="images are not pulled, so their entrypoint is unknown")
        links = self._links(pod, given.facts.units, variables, gang, library)
        variables |= links.environment
        folder = self._working_directory(pod)
        who = security.credentials(pod, container, given.means) if image is None else Credentials()
        visible = [*(self._environment_paths(prefix) if prefix is not None else ()), *(own.paths if own else ())]
        binds = [Bind(str(path), str(path)) for path in visible if path.exists()]
        if folder:
            binds.append(Bind(str(folder), str(folder), read_only=False))
        if links.library:
            binds.append(Bind(str(library), gang_links.SOCKETS_LIBRARY))
        if image is None:
            files, sources = self._directory / "files", given.inputs.sources
            binds += mpi_image.prepare(files, pod, container, sources, variables, who, given.means)
        binds += mounting.binds(container, given.volumes, variables)
        scratch = self._scratch(name, number)
        self._security.give(scratch, who, given.means)
        log = logs.log_file(self._directory, name, number)
        log.parent.mkdir(parents=True, exist_ok=True)
        logs.forget(self._directory, name, number - 2)
        # An engine keeps its containers to their limits itself.
        hold = self._shop.limiter.hold(self._uid, container) if image is None else Hold((), 0)
        return Container(
            name=name,
            attempt=number,
            argv=argv,
            environment=variables,
            directory=container.get("workingDir") or (str(folder) if folder else WORK if image is None else ""),
            root=Root(
                hidden=tuple(str(path) for path in self._shop.homes),
                binds=tuple(binds),
                masked=masks.masks(self._shop.secrets, binds),
                secrets=tuple(map(str, self._shop.secrets)),
                read_only=bool((container.get("securityContext") or {}).get("readOnlyRootFilesystem")),
            ),
            scratch=str(scratch),
            log=str(log),
            log_max_bytes=config.log_max_bytes,
            log_max_files=config.log_max_files,
            termination_log=container.get("terminationMessagePath") or "/dev/termination-log",
            message_from_log=container.get("terminationMessagePolicy") == "FallbackToLogsOnError",
            stdin=bool(container.get("stdin")),
            stdin_once=bool(container.get("stdinOnce")),
            credentials=who,
            terminal=bool(container.get("tty")),
            groups=hold.groups,
            polled_memory=hold.polled_memory,
            polled_processes=hold.polled_processes,
            devices=device_files(given.facts.units, linked=links.library),
            image=image_run(pod, container, image, variables, given.facts.units) if image is not None else None,
        )

    def _links(
        self, pod: Object, units: tuple[Unit, ...], variables: Mapping[str, str], gang: str, library: Path | None
    ) -> gang_links.Links:
        """What keeps NVLink between this container and its peers; where it cannot be, an event says so."""
        tier = self._shop.sandbox.tier
        found = gang_links.links(
            variables,
            gang=gang,
            pod=self._uid,
            whole_gpus=len(units),
            mig=any(unit.mig for unit in units),
            library=library is not None,
            boot_id=identity.boot_id(),
            isolation=gang_links.Isolation(tier.namespaces, tier.host_name),
        )
        if found.reason:
            self._shop.note(pod, "Warning", NVLINK_NOT_KEPT, found.reason)
        return found

    def _environment_paths(self, prefix: Path) -> tuple[Path, ...]:
        return (*software.visible_prefixes(prefix), *checkouts(prefix, self._shop.secrets))

    def _working_directory(self, pod: Object) -> Path | None:
        path = annotations_of(pod).get(WORKING_DIRECTORY)
        return host_path.source({"path": path, "type": "Directory"}, self._shop.secrets) if path else None

    def _scratch(self, name: str, number: int) -> Path:
        """Fresh for every attempt, like a container's writable layer."""
        folders.remove(self._directory / "containers" / name)
        scratch = self._directory / "containers" / name / str(number)
        for part in SCRATCH:
            (scratch / part).mkdir(parents=True)
        (scratch / "tmp").chmod(0o1777)
        return scratch
