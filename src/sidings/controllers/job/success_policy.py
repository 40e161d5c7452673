"""``spec.successPolicy``: an Indexed Job may succeed before all of its indexes have.

A rule is met when all of its ``succeededIndexes`` have succeeded, or ``succeededCount`` of them (of all indexes where
it names none). The first rule that is met decides (pkg/controller/job/success_policy.go, 1.36).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from sidings.api.job import indexes
from sidings.api.objects import Object

REASON = "SuccessPolicy"


def met(job: Object, succeeded: AbstractSet[int]) -> str:
    """The message of the first rule that the ``succeeded`` indexes meet; ``""`` where none is met."""
    for number, rule in enumerate((job["spec"].get("successPolicy") or {}).get("rules") or ()):
        named = rule.get("succeededIndexes")
        count = rule.get("succeededCount")
        wanted = indexes.parse(named, job["spec"]["completions"])
        done = len(wanted & succeeded) if named is not None else len(succeeded)
        if done >= (count if count is not None else len(wanted)):
            return f"Matched rules at index {number}"
    return ""
