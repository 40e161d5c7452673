"""Names of Workloads (pkg/controller/jobframework/workload_names.go, Kueue v0.19)."""

from __future__ import annotations

import hashlib

HASH_LENGTH = 5
LONGEST = 253


def workload_name(kind: str, group: str, name: str, uid: str) -> str:
    """``job-sample-bac03``: kind and name of the job cut to fit, and a hash of who exactly it is."""
    digest = hashlib.sha1(f"{kind}\n{group}\n{name}\n{uid}".encode(), usedforsecurity=False).hexdigest()[:HASH_LENGTH]
    prefix = f"{kind.lower()}-{name}"[: LONGEST - HASH_LENGTH - 1]
    return f"{prefix}-{digest}"
