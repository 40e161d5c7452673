"""Who owns whom, by uid.

The graph is a cache of metadata, fed by watches. It may lag behind the truth, so a verdict that deletes is checked
against the API first; what the graph must never do is forget an edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.api.resources import Resource

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"


class Owner(NamedTuple):
    """One ownerReference."""

    uid: str
    api_version: str
    kind: str
    name: str
    blocks: bool


@dataclass(frozen=True)
class Node:
    """What matters of one live object."""

    uid: str
    resource: Resource
    namespace: str
    name: str
    owners: tuple[Owner, ...]
    finalizers: tuple[str, ...]
    deleting: bool

    def waits_for_dependents(self) -> bool:
        return self.deleting and FOREGROUND in self.finalizers

    def orphans_dependents(self) -> bool:
        return self.deleting and ORPHAN in self.finalizers

    def blocks(self, owner_uid: str) -> bool:
        """Whether foreground deletion of that owner must wait for this object."""
        return any(owner.uid == owner_uid and owner.blocks for owner in self.owners)


def node_of(resource: Resource, obj: Object) -> Node:
    metadata = obj["metadata"]
    owners = tuple(
        Owner(ref["uid"], ref["apiVersion"], ref["kind"], ref["name"], bool(ref.get("blockOwnerDeletion")))
        for ref in metadata.get("ownerReferences") or ()
    )
    return Node(
        uid=metadata["uid"],
        resource=resource,
        namespace=metadata.get("namespace") or "",
        name=metadata["name"],
        owners=owners,
        finalizers=tuple(metadata.get("finalizers") or ()),
        deleting=bool(metadata.get("deletionTimestamp")),
    )


class Graph:
    """Live objects and their edges. A dependent may be known before its owner."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._dependents: dict[str, dict[str, None]] = {}
        """Ordered, unlike a set: a run with the same seed collects in the same order."""

    def get(self, uid: str) -> Node | None:
        return self._nodes.get(uid)

    def dependents(self, uid: str) -> list[Node]:
        """Live objects that name ``uid`` as an owner, in the order in which they were linked."""
        return [self._nodes[dependent] for dependent in self._dependents.get(uid, ())]

    def put(self, node: Node) -> None:
        self._unlink(node.uid)
        self._nodes[node.uid] = node
        for owner in node.owners:
            self._dependents.setdefault(owner.uid, {})[node.uid] = None

    def remove(self, uid: str) -> None:
        self._unlink(uid)
        self._nodes.pop(uid, None)

    def uids_of(self, resource: Resource) -> Iterable[str]:
        return [uid for uid, node in self._nodes.items() if node.resource == resource]

    def _unlink(self, uid: str) -> None:
        before = self._nodes.get(uid)
        for owner in before.owners if before else ():
            siblings = self._dependents[owner.uid]
            siblings.pop(uid, None)
            if not siblings:
                del self._dependents[owner.uid]
