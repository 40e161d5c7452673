"""Which resources there are: the documents by which ``kubectl`` learns every word it knows.

Two forms of the same facts. The plain one is a tree (``/api``, ``/apis``, ``/apis/G``, ``/apis/G/V``); the aggregated
one says it all in two answers and is recognised by its exact Content-Type. Both are made from the kinds served, so a
kind that is added at run time appears in both.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.server import absent, metrics_api, openshift, reviews

VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CUSTOM_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""The same in the order in which upstream tells them of a custom resource."""
STATUS_VERBS = ("get", "patch", "update")
WITHOUT_DELETE_COLLECTION = frozenset({("", "namespaces")})


@dataclass(frozen=True)
class Subresource:
    """A subresource whose body is not the object it belongs to: kind and group of what is sent or answered."""

    verbs: tuple[str, ...]
    kind: str = ""
    group: str = ""
    version: str = ""


SUBRESOURCES: Mapping[str, Subresource] = {
    "status": Subresource(STATUS_VERBS),
    "finalize": Subresource(("update",)),
    "log": Subresource(("get",)),
    "attach": Subresource(("create", "get"), "PodAttachOptions", "", "v1"),
    "exec": Subresource(("create", "get"), "PodExecOptions", "", "v1"),
    "portforward": Subresource(("create", "get"), "PodPortForwardOptions", "", "v1"),
    "binding": Subresource(("create",), "Binding"),
    # drain looks here whether it may evict, and with which version of policy.
    "eviction": Subresource(("create",), "Eviction", "policy", "v1"),
    "scale": Subresource(STATUS_VERBS, "Scale", "autoscaling", "v1"),
    "token": Subresource(("create",), "TokenRequest", "authentication.k8s.io", "v1"),
}


@dataclass(frozen=True)
class Entry:
    """One resource as discovery describes it."""

    plural: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]
    singular: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    builtin: bool = True
    stored: bool = True
    """Whether there are objects of it; a review is answered and forgotten."""


@dataclass
class Discovery:
    """All documents for one set of kinds."""

    groups: dict[str, dict[str, list[Entry]]] = field(default_factory=dict)
    """group -> version -> resources; versions in order of preference."""

    @staticmethod
    def of(kinds: Iterable[Kind]) -> Discovery:
        made = Discovery()
        for kind in kinds:
            made._add(kind.resource.group, kind.resource.version, _entry(kind))
        for review in reviews.RESOURCES:
            entry = Entry(review.plural, review.kind, review.namespaced, ("create",), review.kind.lower(), stored=False)
            made._add(review.group, review.version, entry)
        for measured in metrics_api.RESOURCES:
            entry = Entry(measured.plural, measured.kind, measured.namespaced, ("get", "list"), "")
            made._add(measured.group, measured.version, entry)
        for resource, verbs in openshift.VERBS.items():
            short_names = openshift.SHORT_NAMES.get(resource, ())
            entry = Entry(
                resource.plural,
                resource.kind,
                resource.namespaced,
                verbs,
                resource.kind.lower(),
                short_names,
                stored=False,
            )
            made._add(resource.group, resource.version, entry)
        for resource in absent.RESOURCES:
            entry = Entry(
                resource.plural,
                resource.kind,
                resource.namespaced,
                absent.VERBS,
                resource.kind.lower(),
                absent.SHORT_NAMES[resource.plural],
                stored=False,
            )
            made._add(resource.group, resource.version, entry)
        for versions in made.groups.values():
            for entries in versions.values():
                entries.sort(key=lambda entry: entry.plural)
        return made

    def _add(self, group: str, version: str, entry: Entry) -> None:
        self.groups.setdefault(group, {}).setdefault(version, []).append(entry)

    def aggregated(self, core: bool, version: str) -> Object:
        """``APIGroupDiscoveryList`` of ``/api`` (``core``) or ``/apis``, as ``apidiscovery.k8s.io/<version>``."""
        groups = {group: versions for group, versions in self.groups.items() if (group == "") is core}
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"apidiscovery.k8s.io/{version}",
            "metadata": {},
            "items": [
                {
                    "metadata": {"name": group} if group else {},
                    "versions": [
                        {
                            "version": name,
                            "freshness": "Current",
                            "resources": [_aggregated(group, name, entry) for entry in entries],
                        }
                        for name, entries in versions.items()
                    ],
                }
                for group, versions in groups.items()
            ],
        }

    def core_versions(self, address: str) -> Object:
        """``/api``; ``address`` is host and port as the client used them."""
        return {
            "kind": "APIVersions",
            "versions": list(self.groups.get("", {})),
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
        }

    def group_list(self) -> Object:
        """``/apis``."""
        return {
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [_group(name, list(versions)) for name, versions in self.groups.items() if name],
        }

    def group(self, name: str) -> Object | None:
        """``/apis/G``; None for a group that is not served."""
        versions = self.groups.get(name) if name else None
        return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, list(versions))} if versions else None

    def resource_list(self, group: str, version: str) -> Object | None:
        """``/api/V`` or ``/apis/G/V``; None for a version that is not served."""
        entries = self.groups.get(group, {}).get(version)
        if entries is None:
            return None
        head = {"kind": "APIResourceList", **({"apiVersion": "v1"} if group else {})}
        return {
            **head,
            "groupVersion": f"{group}/{version}" if group else version,
            "resources": [item for entry in entries for item in _plain(group, version, entry)],
        }


def storage_version_hash(group: str, version: str, kind: str) -> str:
    """Which encoding objects are stored in, as upstream tells it (``discovery.StorageVersionHash``)."""
    return base64.b64encode(hashlib.sha256(f"{group}/{version}/{kind}".encode()).digest()[:8]).decode()


def content_type(version: str) -> bytes:
    """The only Content-Type that makes clients take the aggregated form for what it is."""
    return f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList".encode()


def _entry(kind: Kind) -> Entry:
    resource = kind.resource
    without = (resource.group, resource.plural) in WITHOUT_DELETE_COLLECTION
    return Entry(
        plural=resource.plural,
        kind=resource.kind,
        namespaced=resource.namespaced,
        verbs=tuple(
            verb for verb in (VERBS if kind.builtin else CUSTOM_VERBS) if not (without and verb == "deletecollection")
        ),
        singular=kind.singular,
        short_names=kind.short_names,
        categories=kind.categories,
        subresources=tuple(sorted(kind.subresources)),
        builtin=kind.builtin,
    )


def _response_kind(group: str, version: str, kind: str) -> dict[str, str]:
    return {"group": group, "version": version, "kind": kind}


def _aggregated(group: str, version: str, entry: Entry) -> Object:
    if entry.builtin:
        # As upstream says it: empty means those of the version that the resource is listed under.
        group = version = ""
    item: Object = {
        "resource": entry.plural,
        "responseKind": _response_kind(group, version, entry.kind),
        "scope": "Namespaced" if entry.namespaced else "Cluster",
        "singularResource": entry.singular,
        "verbs": list(entry.verbs),
    }
    if entry.short_names:
        item["shortNames"] = list(entry.short_names)
    if entry.categories:
        item["categories"] = list(entry.categories)
    if entry.subresources:
        item["subresources"] = [
            {
                "subresource": name,
                "responseKind": _response_kind(sub.group or group, sub.version or version, sub.kind or entry.kind),
                "verbs": list(sub.verbs),
            }
            for name, sub in ((name, SUBRESOURCES[name]) for name in entry.subresources)
        ]
    return item


def _plain(group: str, version: str, entry: Entry) -> Iterable[Object]:
    item: Object = {
        "name": entry.plural,
        "singularName": entry.singular,
        "namespaced": entry.namespaced,
        "kind": entry.kind,
        "verbs": list(entry.verbs),
    }
    if entry.short_names:
        item["shortNames"] = list(entry.short_names)
    if entry.categories:
        item["categories"] = list(entry.categories)
    if entry.stored:
        item["storageVersionHash"] = storage_version_hash(group, version, entry.kind)
    yield item
    for name in entry.subresources:
        sub = SUBRESOURCES[name]
        part: Object = {
            "name": f"{entry.plural}/{name}",
            "singularName": "",
            "namespaced": entry.namespaced,
            "kind": sub.kind or entry.kind,
            "verbs": list(sub.verbs),
        }
        if sub.group:
            part |= {"group": sub.group, "version": sub.version}
        yield part


def _group(name: str, versions: list[str]) -> Object:
    named = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": named, "preferredVersion": named[0]}
