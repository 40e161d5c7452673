"""Every kind that is served, to be found by URL, by manifest and by what a user types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from sidings.api.kind import Kind


class Catalog:
    """An immutable set of kinds; adding a custom kind gives a new catalog.

    Look-ups return None where nothing is served, because the caller knows which error that is: an unknown path, an
    unknown kind in a manifest, or an unknown word on a command line.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._kinds = tuple(kinds)
        self._by_plural = {(k.resource.group, k.resource.version, k.resource.plural): k for k in self._kinds}
        self._by_kind = {(k.resource.group, k.resource.version, k.resource.kind): k for k in self._kinds}
        self._by_word: dict[str, Kind] = {}
        for kind in self._kinds:
            for word in _words(kind):
                self._by_word.setdefault(word, kind)

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def by_plural(self, group: str, version: str, plural: str) -> Kind | None:
        """The kind behind ``/apis/<group>/<version>/.../<plural>``."""
        return self._by_plural.get((group, version, plural))

    def by_kind(self, group: str, version: str, kind: str) -> Kind | None:
        """The kind that a manifest's ``apiVersion`` and ``kind`` name."""
        return self._by_kind.get((group, version, kind))

    def by_api_version(self, api_version: str, kind: str) -> Kind | None:
        """:meth:`by_kind` for an ``apiVersion`` as it stands in an object: ``v1`` or ``batch/v1``."""
        group, _, version = api_version.rpartition("/")
        return self.by_kind(group, version, kind)

    def by_word(self, word: str) -> Kind | None:
        """What a user means by ``pods``, ``pod``, ``po`` or ``jobs.batch``, in any case; built-in kinds win."""
        return self._by_word.get(word.lower())

    def with_kinds(self, kinds: Iterable[Kind]) -> Catalog:
        """A catalog with ``kinds`` added; a kind of the same group, version and plural is replaced."""
        new = {(k.resource.group, k.resource.version, k.resource.plural): k for k in kinds}
        return Catalog([*({**self._by_plural, **new}.values())])

    def without(self, group: str, plural: str) -> Catalog:
        """A catalog without any version of one resource."""
        return Catalog(k for k in self._kinds if (k.resource.group, k.resource.plural) != (group, plural))


def _words(kind: Kind) -> list[str]:
    resource = kind.resource
    names = [resource.plural, kind.singular, *kind.short_names]
    qualified = [f"{name}.{resource.group}" for name in names[:2]] if resource.group else []
    versioned = [f"{resource.plural}.{resource.version}.{resource.group}"] if resource.group else []
    return [word.lower() for word in (*names, *qualified, *versioned)]


@cache
def builtin() -> Catalog:
    """The kinds that Sidings serves without a CustomResourceDefinition; loading them takes some 20 ms."""
    from sidings.api.kinds import (
        config_map,
        cron_job,
        custom_resource_definition,
        endpoint_slice,
        endpoints,
        event,
        event_v1,
        horizontal_pod_autoscaler,
        job,
        jobset,
        kueue,
        lease,
        limit_range,
        namespace,
        network_policy,
        node,
        persistent_volume,
        persistent_volume_claim,
        platform,
        pod,
        pod_disruption_budget,
        pod_group,
        priority_class,
        project,
        rbac,
        resource_quota,
        route,
        secret,
        service,
        service_account,
        storage_class,
        training_jobs,
        training_runtime,
        trainjob,
    )

    single = (
        config_map, endpoints, event, limit_range, namespace, node, persistent_volume_claim, persistent_volume, pod,
        resource_quota, secret, service_account, service, custom_resource_definition, cron_job, job, lease, jobset,
        priority_class, storage_class, event_v1, endpoint_slice, network_policy, pod_disruption_budget, project, route,
        trainjob, horizontal_pod_autoscaler,
    )  # fmt: skip
    return Catalog(
        [
            *(module.KIND for module in single),
            *rbac.KINDS,
            *training_runtime.KINDS,
            *kueue.KINDS,
            *training_jobs.KINDS,
            *pod_group.KINDS,
            *platform.KINDS,
        ]
    )
