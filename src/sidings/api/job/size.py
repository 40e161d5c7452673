"""How many pods a Job has at once."""

from __future__ import annotations

from sidings.api.objects import Object


def pods_at_once(spec: Object) -> int:
    """Pods that a Job of this spec runs at once: parallelism, but never more than completions."""
    parallelism = int(spec.get("parallelism", 1))
    completions = spec.get("completions")
    return parallelism if completions is None else min(parallelism, int(completions))
