"""URL paths of the API, taken apart: ``/apis/batch/v1/namespaces/team/jobs/train/status``.

The grammar is kube-apiserver's ``RequestInfoFactory``. It needs no knowledge of kinds but one: below ``namespaces`` the
third segment is a resource of the namespace, unless it is a subresource of Namespace itself.
"""

from __future__ import annotations

from typing import NamedTuple

NAMESPACE_SUBRESOURCES = frozenset({"status", "finalize"})


class ResourcePath(NamedTuple):
    """A path that addresses a collection (``name`` empty), an object, or a subresource."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watch: bool = False
    """The deprecated ``/watch/`` prefix: the request is a watch whatever its query says."""


class GroupPath(NamedTuple):
    """``/apis/G`` or ``/apis/G/V`` or ``/api/V``: discovery of a group (``version`` empty) or of a version."""

    group: str
    version: str = ""


def parse(path: str) -> ResourcePath | GroupPath | None:
    """What a (percent-decoded) path below ``/api/`` or ``/apis/`` addresses; None where it is neither."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 1:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) == 2:
        return GroupPath(parts[1])
    elif parts[0] == "apis" and len(parts) > 2:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    if not rest:
        return GroupPath(group, version)
    watch = rest[0] == "watch"
    if watch:
        rest = rest[1:]
    if not rest or not all(rest):
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and not (len(rest) == 3 and rest[2] in NAMESPACE_SUBRESOURCES):
        namespace, rest = rest[1], rest[2:]
    if len(rest) > 3:
        return None
    plural, name, subresource = (*rest, "", "")[:3]
    return ResourcePath(group, version, plural, namespace, name, subresource, watch)
