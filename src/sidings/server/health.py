"""``/healthz``, ``/livez``, ``/readyz``: open to everybody, and say nothing but that the server serves.

The engine binds its port when its state is loaded and serves nothing before, so being answered is being ready.
``?verbose`` is worded as kube-apiserver's, whose list of checks has ``ping`` too.
"""

from __future__ import annotations

from sidings.server.queries import Query
from sidings.server.responses import TEXT, Response

PATHS = frozenset({"/healthz", "/livez", "/readyz"})


def answer(path: str, query: Query) -> Response | None:
    """The answer for ``path``, or None where it is no health path."""
    root, _, check = path.rstrip("/").rpartition("/")
    if root not in PATHS:
        root, check = path.rstrip("/"), ""
    if root not in PATHS or check not in ("", "ping"):
        return None
    if query.flag("verbose"):
        return Response(200, f"[+]ping ok\n{root[1:]} check passed\n".encode(), TEXT)
    return Response(200, b"ok", TEXT)
