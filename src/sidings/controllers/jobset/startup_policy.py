"""``startupPolicy: InOrder``: a group's Jobs start when all Jobs of the groups before it have."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.controllers.jobset.jobset_conditions import STARTUP_COMPLETED, STARTUP_IN_PROGRESS, Condition

IN_PROGRESS = Condition(
    STARTUP_IN_PROGRESS,
    "True",
    "InOrderStartupPolicyInProgress",
    "in order startup policy is in progress",
)
HAS_COMPLETED = Condition(
    STARTUP_COMPLETED,
    "True",
    "InOrderStartupPolicyCompleted",
    "in order startup policy has completed",
)


def is_in_order(jobset: Object) -> bool:
    return (jobset["spec"].get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder"
