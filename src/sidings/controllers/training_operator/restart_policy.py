"""What becomes of a pod in phase Failed, by the restart policy of its role.

``OnFailure`` and ``Always`` restart containers in place, so a failed pod was evicted or lost: it is made anew, as is
one under ``ExitCode`` that was killed by a signal (128 and more). Any other code under ``ExitCode`` ends the job. The
code is that of the container that trains; a pod that has none (evicted) may be made anew.
"""

from __future__ import annotations

from enum import Enum

from sidings.api.objects import Object
from sidings.api.training_operator import words
from sidings.controllers.training_operator.tally import phase_of

FIRST_RETRYABLE = 128
EXITED = "ExitedWithCode"


class Verdict(Enum):
    """On one pod."""

    KEEP = "nothing to do"
    REPLACE = "delete it, a new one is made"
    FAIL_JOB = "the job has failed"


def exit_code(pod: Object, container: str) -> int | None:
    """With which code the container ``container`` of ``pod`` ended; None where it did not, or nobody knows."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        ended = (status.get("state") or {}).get("terminated")
        if status.get("name") == container and ended is not None:
            return int(ended.get("exitCode") or 0)
    return None


def judge(policy: str, pod: Object, container: str) -> Verdict:
    if phase_of(pod) != "Failed" or policy == words.NEVER:
        return Verdict.KEEP
    if policy == words.EXIT_CODE:
        code = exit_code(pod, container)
        return Verdict.REPLACE if code is None or code >= FIRST_RETRYABLE else Verdict.FAIL_JOB
    return Verdict.REPLACE
