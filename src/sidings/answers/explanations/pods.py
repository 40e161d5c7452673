"""SDG-201 to 230: pods, from their creation to their end."""

from __future__ import annotations

from collections.abc import Mapping

from sidings.answers import codes
from sidings.answers.explanations.explanation import Explanation
from sidings.answers.finding import Severity

EXPLANATIONS: Mapping[str, Explanation] = {
    codes.FITS_NO_NODE: Explanation(
        Severity.ERROR,
        "A pod is larger than every node",
        "The pod requests more of a resource than any node has, even if it were empty.",
        "Ask for less per pod and take more pods, or add a larger node.",
    ),
    codes.NODES_BUSY: Explanation(
        Severity.NOTE,
        "The nodes are busy",
        "A node is large enough for the pod, but other pods hold what it needs.",
        "Wait until they end, or suspend one of them.",
    ),
    codes.NODES_EXCLUDED: Explanation(
        Severity.ERROR,
        "No node is allowed for a pod",
        "Node selectors, taints or cordons rule out every node that is large enough.",
        "Label a node, tolerate or remove the taint, or uncordon the node.",
    ),
    codes.PODS_REFUSED: Explanation(
        Severity.ERROR,
        "The API refuses the job's pods",
        "The job was accepted, but its pods are not valid or are forbidden: an extended resource without a limit, a"
        " ResourceQuota, a service account that is missing, a rule of the namespace.",
        "The message is the API server's; mend the job's template.",
    ),
    codes.NODES_TOO_FEW: Explanation(
        Severity.ERROR,
        "The nodes cannot hold all pods of the job at once",
        "Each pod fits a node, but not all of them together, even if nobody else used the nodes. A queue counts quota,"
        " not nodes, so it may admit such a job; some of its ranks then wait for ever for the others.",
        "Take fewer or smaller pods, or add nodes.",
    ),
    codes.STUCK_TERMINATING: Explanation(
        Severity.ERROR,
        "A pod does not end",
        "The pod was deleted and its grace period is over, but it is still there: its node does not answer, or a"
        " finalizer is kept by a controller that is gone. The Job does not replace it until it has gone.",
        "Delete it by force, or take the finalizer off.",
    ),
    codes.GATED: Explanation(
        Severity.ERROR,
        "A scheduling gate stays on the pods",
        "A pod with `spec.schedulingGates` is not looked at by the scheduler until whoever set the gate removes it.",
        "Start the controller that removes the gate, or remove it.",
    ),
    codes.NO_CLAIM: Explanation(
        Severity.ERROR,
        "A PersistentVolumeClaim is missing",
        "A pod mounts a claim that its namespace does not have; it cannot be scheduled until there is one.",
        "Create the claim.",
    ),
    codes.NO_CONFIG_MAP: Explanation(
        Severity.ERROR,
        "A ConfigMap is missing",
        "A pod mounts or reads a ConfigMap that its namespace does not have; its containers do not start until there is"
        " one.",
        "Create the ConfigMap.",
    ),
    codes.NO_SECRET: Explanation(
        Severity.ERROR,
        "A Secret is missing",
        "A pod mounts or reads a Secret that its namespace does not have; its containers do not start until there is"
        " one.",
        "Create the Secret.",
    ),
    codes.NO_KEY: Explanation(
        Severity.ERROR,
        "A key of a ConfigMap or Secret is missing",
        "The object is there, but not the key that a pod's environment takes from it.",
        "Add the key.",
    ),
    codes.NO_IMAGE: Explanation(
        Severity.ERROR,
        "An image cannot be used",
        "The image has no valid name, does not exist, or the registry cannot be reached or refuses.",
        "Correct the image in the job and submit it again. Where a container engine runs the pods, pull it by hand: the"
        " registry's words are shown, and the pod starts once the image is there.",
    ),
    codes.NO_COMMAND: Explanation(
        Severity.ERROR,
        "A command does not exist",
        "The first word of the container's command is no program in its image or environment (exit code 127).",
        "Correct the command, or install the program.",
    ),
    codes.CANNOT_START: Explanation(
        Severity.ERROR,
        "A container cannot start",
        "The node could not start the container; its message says why.",
        "Mend what the message names and submit the job again.",
    ),
    codes.OUT_OF_MEMORY: Explanation(
        Severity.ERROR,
        "A container was killed for its memory",
        "The container used more memory than its limit (OOMKilled).",
        "Raise the memory limit, or use less: smaller batches, fewer data loader workers.",
    ),
    codes.EXITED: Explanation(
        Severity.ERROR,
        "A container ended with an error",
        "The program ended with another exit code than 0. Of several ranks the first that failed is shown, because its"
        " peers die of its death.",
        "Read the log of that rank.",
    ),
    codes.JOB_FAILED: Explanation(
        Severity.ERROR,
        "The job failed",
        "The job has ended as failed and none of its pods is left to tell more.",
        "The reason is the job's own. `sidings run` keeps the log of the rank that failed first.",
    ),
    codes.OBSTACLE: Explanation(
        Severity.WARNING,
        "A controller reports a problem",
        "The job has no pods, and the last warning about it is of none of the kinds that have a code of their own.",
        "The message is the controller's.",
    ),
    codes.RECOVERED: Explanation(
        Severity.NOTE,
        "The job was set back, and goes on",
        "A container ended with an error; it, its pod or the whole job was started again. Only what does not pass by"
        " itself, or has happened three times, is an error.",
        "Nothing, if it happens seldom. The log of the life before says why: `kubectl logs --previous`.",
    ),
    codes.DEADLINE_EXCEEDED: Explanation(
        Severity.ERROR,
        "The job ran for longer than it may",
        "`activeDeadlineSeconds` was over, so its pods were stopped, whatever they had reached.",
        "Submit it with a later deadline; with checkpoints it goes on where it was.",
    ),
    codes.PROBE_FAILS: Explanation(
        Severity.WARNING,
        "A probe of a container fails",
        "A readiness probe that fails keeps the pod out of Services and a queue's `waitForPodsReady` waiting; a"
        " liveness or startup probe that fails has the container killed and started again.",
        "Give the probe more time, or leave it out: a training process seldom serves anybody.",
    ),
}
