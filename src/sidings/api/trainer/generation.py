"""Which generation of the API a TrainJob is written in.

Trainer 2.0/2.1 and 2.2/2.3 share group, version and kind but not all fields; OpenShift AI to 3.5 speaks the old form,
the current SDK the new one. One server takes both: the fields that only one generation has say which rules a job is
under, and a job that uses none of them is under the current ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Generation(StrEnum):
    """The rule sets that differ. 2.0 is 2.1 with a flat override field; 2.2 is 2.3 with fewer limits."""

    V2_1 = "2.1"
    V2_3 = "2.3"


OLD_FIELDS = ("podTemplateOverrides", "podSpecOverrides", "labels", "annotations")
"""Fields of ``spec`` that Trainer 2.2 removed."""


def generation_of(job: Mapping[str, Any]) -> Generation:
    """The generation ``job`` is written in: 2.1 if it uses what 2.2 removed."""
    spec = job.get("spec") or {}
    if any(spec.get(field) for field in OLD_FIELDS):
        return Generation.V2_1
    if isinstance((spec.get("trainer") or {}).get("numProcPerNode"), str):
        return Generation.V2_1
    return Generation.V2_3
