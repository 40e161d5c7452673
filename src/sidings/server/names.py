"""What this server is called: the names its certificate has, and those that a Host header may use."""

from __future__ import annotations

LOOPBACK = ("127.0.0.1", "::1")
DNS = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
