"""``/healthz``, ``/livez``, ``/readyz``: open to everybody, and say nothing but whether the server serves.

``?verbose`` lists the checks, as kube-apiserver does; a single check is at ``/readyz/NAME``. Why a check fails is for the
log: whoever asks here need not be a user.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from sidings.server.queries import Query
from sidings.server.responses import TEXT, Response

log = logging.getLogger(__name__)

PATHS = ("/healthz", "/livez", "/readyz")
Check = Callable[[], str]
"""Returns why it fails, ``""`` where it does not."""


def answer(path: str, query: Query, checks: Mapping[str, Check]) -> Response | None:
    """The answer for ``path``, or None where it is no health path. Liveness is that anything is answered at all."""
    root = next((root for root in PATHS if path == root or path.startswith(root + "/")), "")
    if not root:
        return None
    chosen: dict[str, Check] = {"ping": lambda: "", **({} if root == "/livez" else checks)}
    name = path[len(root) :].strip("/")
    if name:
        if name not in chosen:
            return None
        chosen = {name: chosen[name]}
    results = {check: run() for check, run in chosen.items()}
    failed = {check: text for check, text in results.items() if text}
    if not failed and not query.flag("verbose"):
        return Response(200, b"ok", TEXT)
    for check, text in failed.items():
        log.info("health check %s failed: %s", check, text)
    lines = [f"[-]{check} failed: reason withheld" if text else f"[+]{check} ok" for check, text in results.items()]
    lines.append(f"{root[1:]} check {'failed' if failed else 'passed'}")
    return Response(500 if failed else 200, ("\n".join(lines) + "\n").encode(), TEXT)
