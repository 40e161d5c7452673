"""SDG-301 and on: what a check before the submission tells beside the others."""

from __future__ import annotations

from collections.abc import Mapping

from sidings.answers import codes
from sidings.answers.explanations.explanation import Explanation
from sidings.answers.finding import Severity

EXPLANATIONS: Mapping[str, Explanation] = {
    codes.REFUSED: Explanation(
        Severity.ERROR,
        "The API server would refuse the object",
        "The object is not valid, its kind is not served, or a rule of the cluster forbids it.",
        "The message names the field.",
    ),
    codes.NO_LIMITS: Explanation(
        Severity.WARNING,
        "A container has no memory limit",
        "Without a limit one job can take the memory of all others on its node.",
        "Set `resources.limits.memory`.",
    ),
    codes.NOT_QUEUED: Explanation(
        Severity.NOTE,
        "The job names no queue",
        "There are queues in the namespace, but the job has no label `kueue.x-k8s.io/queue-name`: it starts at once and"
        " counts for nobody's quota.",
        "Label the job with one of the queues.",
    ),
    codes.NOTHING_LASTS: Explanation(
        Severity.WARNING,
        "Nothing the job writes lasts",
        "No container mounts a claim, so checkpoints go with their pod unless they are sent elsewhere.",
        "Mount a PersistentVolumeClaim and write checkpoints to it.",
    ),
    codes.GRACE_TOO_SHORT: Explanation(
        Severity.WARNING,
        "The grace period is shorter than the save",
        "A pod that is stopped gets SIGTERM, and SIGKILL after `terminationGracePeriodSeconds`; torchrun kills its"
        " workers after 30 seconds. A checkpoint that is not written by then is lost or torn.",
        "Give the pods a longer `terminationGracePeriodSeconds`.",
    ),
    codes.MEMORY_SEEN: Explanation(
        Severity.WARNING,
        "The memory limit is below what was used before",
        "Pods of a job of this name or image were seen to use more memory than the limit allows now, or were killed for"
        " it.",
        "Raise `resources.limits.memory` above what was seen.",
    ),
}
