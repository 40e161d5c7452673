"""Adding to a container's lists the way Trainer does: replace in place what is there, else append."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sidings.api.objects import Object

Same = Callable[[Object, Object], bool]


def env(container: Object, variables: Iterable[Object]) -> None:
    """Environment variables, by name."""
    _upsert(container, "env", variables, lambda old, new: old.get("name") == new.get("name"))


def volumes(pod_spec: Object, additions: Iterable[Object]) -> None:
    """Volumes, by name."""
    _upsert(pod_spec, "volumes", additions, lambda old, new: old.get("name") == new.get("name"))


def mounts(container: Object, additions: Iterable[Object]) -> None:
    """Volume mounts, by path."""
    _upsert(container, "volumeMounts", additions, lambda old, new: old.get("mountPath") == new.get("mountPath"))


def port(container: Object, number: int) -> None:
    """An unnamed TCP port. Upstream takes ports for the same if their numbers or their names are, and two unnamed
    ones have the same name (kubeflow/trainer#3925): an unnamed port is replaced, and of two unnamed ports one is lost
    and the other doubled, because all ports are put back a second time."""
    ports = [dict(item) for item in container.get("ports") or ()]
    holder: Object = {"ports": ports}
    _upsert(holder, "ports", [{"containerPort": number, "protocol": "TCP"}], _same_port)
    _upsert(container, "ports", holder["ports"], _same_port)


def _same_port(old: Object, new: Object) -> bool:
    return bool(old.get("containerPort") == new.get("containerPort") or old.get("name") == new.get("name"))


def _upsert(holder: Object, field: str, additions: Iterable[Object], same: Same) -> None:
    items: list[Object] = list(holder.get(field) or ())
    for addition in additions:
        for index, item in enumerate(items):
            if same(item, addition):
                items[index] = addition
                break
        else:
            items.append(addition)
    if items:
        holder[field] = items
