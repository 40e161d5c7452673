"""A pod's sandbox as its worker sees it: directory, address, records, and the requests to the shim.

The directory ``pods/<uid>`` holds everything: ``status.json`` and ``shim.sock`` (the shim's), ``files/etc``,
``volumes``, ``containers/<name>`` (what an attempt wrote outside of volumes), ``logs/<name>/<attempt>.log``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Iterable
from pathlib import Path

from sidings.api.objects import Object, annotations_of, controller_of, labels_of, namespace_of, uid_of
from sidings.node import dns, folders, hosts, lifecycle, mpi_image, security, users
from sidings.node.container_engine import leftovers
from sidings.node.container_specs import ContainerSpecs, Given
from sidings.node.environment import NodeFacts
from sidings.node.errors import SandboxFailed
from sidings.node.gpus.resources import wanted
from sidings.node.gpus.source import Unit
from sidings.node.network import node_address
from sidings.node.pod_security import PodSecurity, in_node_network
from sidings.node.sandbox import client as sandbox_client
from sidings.node.sandbox.client import SandboxClient
from sidings.node.sandbox.rootfs import HOME
from sidings.node.sandbox.spec import Attempt, PodSandbox, SandboxStatus
from sidings.node.security import Means
from sidings.node.status import KILLED, STATUS_UNKNOWN
from sidings.node.volumes import mounting
from sidings.node.volumes.tokens import PodTokens
from sidings.node.workshop import Workshop

_JOB_SET, _ATTEMPT = "jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/restart-attempt"


class PodBox:
    """One pod's directory and, while it lives, its shim."""

    def __init__(self, pod: Object, shop: Workshop) -> None:
        self._uid = uid_of(pod)
        self._shop = shop
        self.directory = shop.pods_root / self._uid
        number, self.node = shop.nodes[pod["spec"]["nodeName"]]
        self.host_address = node_address(number)
        self._number = number
        self._status: SandboxStatus | None = None
        self._lost = False
        self._watch: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self.group = shared_memory_group(pod)
        self._security = PodSecurity(pod, self.directory, shop.claims_root)
        self._specs = ContainerSpecs(self._uid, self.group, self.directory, self._security, shop)
        self._tokens = PodTokens(shop.client, shop.clock)
        self._shown: tuple[object, ...] = ()

    @property
    def address(self) -> str | None:
        return self._shop.addresses.address_of(self._uid)

    @property
    def alive(self) -> bool:
        return self._watch is not None and not self._watch.done()

    @property
    def shim(self) -> int | None:
        """The process below which all of the pod is, while it lives."""
        return self._status.pid if self.alive and self._status is not None else None

    @property
    def attempts(self) -> dict[str, list[Attempt]]:
        return self._status.attempts if self._status is not None else {}

    def running(self) -> set[str]:
        return {name for name, attempts in self.attempts.items() if attempts and attempts[-1].running}

    def adopt(self, news: asyncio.Event) -> None:
        """Take up what is there of an earlier agent; ``news`` is set whenever the records change."""
        self._news = news
        if self.alive:
            return
        self._status = sandbox_client.read_status(self.directory)
        if self._status is None:
            return
        if sandbox_client.is_alive(self._status) and (self.directory / "shim.sock").exists():
            self._shop.addresses.claim(self._uid, self._status.address)
            self._watch = asyncio.create_task(self._follow(), name=f"watch sandbox {self._uid}")
        else:
            self._mark_lost()

    async def start(self, pod: Object, name: str) -> None:
        """Start the next attempt of the container ``name``, the sandbox first where there is none.

        Returns when the attempt is in the records, running or failed. Raises ``NodeError``: ``ConfigMissing``,
        ``VolumeError``, ``SandboxFailed``, ``AddressesExhausted``, ``DevicesExhausted``.
        """
        try:
            await self._start(pod, name)
        except OSError as error:
            raise SandboxFailed(f"container {name} cannot be started", cause=str(error)) from error

    async def _start(self, pod: Object, name: str) -> None:
        container = next(
            c for c in (*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]) if c["name"] == name
        )
        security.check_pod(pod, self.means, engine=self._shop.images is not None)
        address = self._shop.addresses.allocate(
            self._uid, self._number, host_network=in_node_network(pod, self._shop.sandbox.tier)
        )
        inputs = await mounting.load(self._shop.client, pod, self._tokens)
        facts = self._facts(address, self._claim_gpus(pod, container))
        volumes = mounting.materialise(
            pod, inputs, facts, self.directory / "volumes", self._shop.claims_root, self._shop.secrets
        )
        self._shown = _shown(pod, inputs)
        if not self.alive:
            await self._create(pod, address, volumes)
        await asyncio.to_thread(self._security.share, volumes, self.means)
        known = self.attempts.get(name, ())
        number = known[-1].number + 1 if known else 0
        spec = await self._specs.spec(pod, container, number, Given(inputs, facts, volumes, self.means))
        await self._shop.sandbox.run(self.directory, spec)
        while not (self.attempts.get(name) and self.attempts[name][-1].number == number):
            if not self.alive:
                raise SandboxFailed("the pod's sandbox ended")
            self._news.clear()
            await self._news.wait()
        self._news.set()

    async def refresh(self, pod: Object) -> None:
        """Let containers see what ConfigMaps, Secrets, labels and tokens are now. Raises ``VolumeError``."""
        if self.address is None:
            return
        inputs = await mounting.load(self._shop.client, pod, self._tokens)
        if (shown := _shown(pod, inputs)) == self._shown:
            return
        facts = self._facts(self.address)
        volumes = self.directory / "volumes"
        await asyncio.to_thread(mounting.rewrite, pod, inputs, facts, volumes)
        await asyncio.to_thread(self._security.share_files, volumes / "files", self.means)
        self._shown = shown

    async def stop(self, names: Iterable[str], grace: float) -> None:
        """SIGTERM, and SIGKILL after ``grace`` seconds; the records tell when it is over."""
        with contextlib.suppress(OSError, SandboxFailed):  # the shim just ended, and its containers with it
            await self._shop.sandbox.stop(self.directory, sorted(names), grace)

    async def leave(self) -> None:
        """End the sandbox; records and logs stay. The address is free afterwards."""
        if self.alive:
            await self._shop.sandbox.leave(self.directory)
            assert self._watch is not None
            await asyncio.wait([self._watch])
        if self._lost and self._shop.images is not None:
            await leftovers.remove(self._shop.images.engine, lambda uid: uid == self._uid)
        await asyncio.to_thread(self._shop.limiter.forget, self._uid)
        await asyncio.to_thread(folders.remove, self.directory / "containers")
        self._shop.addresses.release(self._uid)
        self._shop.gpus.release(self._uid)
        self._shop.released(self.group)

    async def destroy(self) -> None:
        """End the sandbox, killing what runs, and remove every trace."""
        await self.leave()
        await asyncio.to_thread(folders.remove, self.directory)

    def release(self) -> None:
        """This agent looks no longer; the sandbox itself goes on."""
        if self._watch is not None:
            self._watch.cancel()

    async def _create(self, pod: Object, address: str, volumes: mounting.PodVolumes) -> None:
        etc = self.directory / "files" / "etc"
        etc.mkdir(parents=True, exist_ok=True)
        machine = "" if self._shop.sandbox.tier.host_name else socket.gethostname()
        switch = hosts.of_machine("nsswitch.conf") if self._shop.images is None else ""
        resolver = hosts.of_machine("resolv.conf")
        made = hosts.files(pod, address, switch, machine, resolver)
        if self._shop.images is None:  # an image has its own users and ways to look names up
            login_home = mpi_image.login_home(pod)
            passwd = users.passwd_for_logins if login_home else users.passwd
            made["passwd"] = passwd(hosts.of_machine("passwd"), security.users(pod), login_home or HOME)
        for name, text in made.items():
            if text:
                (etc / name).write_text(text)
        await self._shop.sandbox.start_pod(
            PodSandbox(
                self._uid,
                str(self.directory),
                dns.host_name(pod),
                address,
                self.group,
                volumes.memory,
                engine=self._shop.images.engine if self._shop.images is not None else None,
                host_network=in_node_network(pod, self._shop.sandbox.tier),
                sysctls=security.sysctls(pod),
            )
        )
        self._status = sandbox_client.read_status(self.directory)
        self._watch = asyncio.create_task(self._follow(), name=f"watch sandbox {self._uid}")

    async def _follow(self) -> None:
        """Keep the records up to date until the shim is gone."""
        with contextlib.suppress(OSError):
            async for status in self._shop.sandbox.watch(self.directory):
                self._status = status
                self._news.set()
        self._mark_lost()
        self._news.set()

    def _mark_lost(self) -> None:
        """The shim is dead and its containers with it: what still counts as running ended unseen."""
        status = self._status
        if status is None:
            return
        lost = [attempt for attempts in status.attempts.values() for attempt in attempts if attempt.running]
        for attempt in lost:
            attempt.finished_at = self._shop.clock.now().timestamp()
            attempt.exit_code = KILLED
            attempt.reason = STATUS_UNKNOWN
            attempt.message = "The container's sandbox is gone: the machine was restarted or its supervisor was killed"
            self._lost = True
        if lost:
            fresh = self.directory / "status.json.new"
            fresh.write_text(json.dumps(status.to_json()))
            fresh.replace(self.directory / "status.json")

    @property
    def means(self) -> Means:
        """What its containers can be given."""
        return self._security.means(self._shop.sandbox.tier, self.shim)

    def _facts(self, address: str, units: tuple[Unit, ...] = ()) -> NodeFacts:
        addresses = {"status.podIP": address, "status.podIPs": address}
        addresses |= {"status.hostIP": self.host_address, "status.hostIPs": self.host_address}
        allocatable = {"cpu": self.node.cpu, "memory": self.node.memory}
        cores, nodes = os.cpu_count() or 1, len(self._shop.nodes)
        share = max(cores // nodes, 1) if nodes > 1 else None
        folder = self._shop.gpus.source.driver().folder if units else ""
        return NodeFacts(addresses, allocatable, self.node.simulate_gpus, cores, share, units, folder)

    def _claim_gpus(self, pod: Object, container: Object) -> tuple[Unit, ...]:
        """The devices that the container asks for; those of finished init containers are free for the others."""
        if self.node.simulate_gpus:
            return ()
        earlier = [c["name"] for c in pod["spec"].get("initContainers") or () if not lifecycle.is_sidecar(c)]
        return tuple(
            unit
            for resource, count in wanted(container).items()
            for unit in self._shop.gpus.claim(
                self.node.name, self._uid, container["name"], count, earlier, resource=resource
            )
        )


def _shown(pod: Object, inputs: mounting.Inputs) -> tuple[object, ...]:
    """What the files of a pod's volumes depend on."""
    return (inputs.sources, inputs.tokens, labels_of(pod), annotations_of(pod))


async def abandon(directory: Path, sandbox: SandboxClient) -> None:
    """End and remove the sandbox of a pod whose object was deleted while no agent ran."""
    await sandbox.leave(directory)
    await asyncio.to_thread(folders.remove, directory)


def shared_memory_group(pod: Object) -> str:
    """Pods with the same answer share /dev/shm: one attempt of a JobSet, else one owner, else the pod alone."""
    labels = labels_of(pod)
    if job_set := labels.get(_JOB_SET):
        return f"{namespace_of(pod)}_{job_set}_{labels.get(_ATTEMPT, '0')}"
    owner = controller_of(pod)
    return str(owner["uid"]) if owner else uid_of(pod)
