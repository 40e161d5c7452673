"""``visibility.kueue.x-k8s.io``: who waits for a queue, in the order in which they are looked at (Kueue v0.19).

``GET .../clusterqueues/NAME/pendingworkloads`` and ``.../namespaces/NS/localqueues/NAME/pendingworkloads``, read with
``kubectl get --raw``. Computed when asked for, from what the scheduler knows.
"""

from __future__ import annotations

from sidings.api.status import BadRequest, MethodNotAllowed, NotFound
from sidings.api.visibility import GROUP, VERSIONS, PendingWorkloads
from sidings.server.paths import ResourcePath
from sidings.server.queries import Query
from sidings.server.responses import Response, json_response

SUBRESOURCE = "pendingworkloads"
USUAL_LIMIT, LARGEST_LIMIT = 1000, 100_000


def concerns(path: ResourcePath) -> bool:
    return path.group == GROUP


def answer(method: str, path: ResourcePath, query: Query, pending: PendingWorkloads | None) -> Response:
    """A ``PendingWorkloadsSummary``. Raises ``NotFound``, ``BadRequest``, ``MethodNotAllowed``."""
    known = path.version in VERSIONS and path.subresource == SUBRESOURCE and path.name
    if pending is None or not known or path.plural not in ("clusterqueues", "localqueues"):
        raise NotFound("the server could not find the requested resource")
    if method != "GET":
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
    if path.plural == "clusterqueues":
        items = pending.of_cluster_queue(path.name)
    else:
        items = pending.of_local_queue(path.namespace, path.name)
    limit, offset = _number(query, "limit", USUAL_LIMIT), _number(query, "offset", 0)
    summary = {
        "kind": "PendingWorkloadsSummary",
        "apiVersion": f"{GROUP}/{path.version}",
        "metadata": {},
        "items": items[offset : offset + min(limit, LARGEST_LIMIT)],
    }
    return json_response(200, summary)


def _number(query: Query, name: str, usual: int) -> int:
    text = query.text(name)
    if not text:
        return usual
    if not text.isdigit():
        raise BadRequest(f"invalid {name}: {text!r} is not a number")
    return int(text)
