"""SDG-101 and on: queues and quota."""

from __future__ import annotations

from collections.abc import Mapping

from sidings.answers import codes
from sidings.answers.explanations.explanation import Explanation
from sidings.answers.finding import Severity

EXPLANATIONS: Mapping[str, Explanation] = {
    codes.NO_LOCAL_QUEUE: Explanation(
        Severity.ERROR,
        "The LocalQueue does not exist",
        "The job's label `kueue.x-k8s.io/queue-name` names a LocalQueue that its namespace does not have. The job stays"
        " suspended until there is one.",
        "Create the LocalQueue, or label the job with one that exists.",
    ),
    codes.LOCAL_QUEUE_STOPPED: Explanation(
        Severity.ERROR,
        "The LocalQueue is stopped",
        "`spec.stopPolicy` of the LocalQueue keeps its jobs from being admitted (`Hold`), or evicts them as well"
        " (`HoldAndDrain`).",
        "Set `stopPolicy` to `None`.",
    ),
    codes.NO_CLUSTER_QUEUE: Explanation(
        Severity.ERROR,
        "The ClusterQueue does not exist",
        "The LocalQueue points to a ClusterQueue that is not there.",
        "Create the ClusterQueue with quota for what the job asks for. A LocalQueue cannot be pointed elsewhere.",
    ),
    codes.CLUSTER_QUEUE_STOPPED: Explanation(
        Severity.ERROR,
        "The ClusterQueue is stopped",
        "`spec.stopPolicy` of the ClusterQueue holds all its jobs.",
        "Set `stopPolicy` to `None`.",
    ),
    codes.CLUSTER_QUEUE_INACTIVE: Explanation(
        Severity.ERROR,
        "The ClusterQueue is not active",
        "It refers to a ResourceFlavor, AdmissionCheck or Topology that is missing or not active; until that is mended"
        " it admits nobody.",
        "Create what is missing, or take it out of the ClusterQueue.",
    ),
    codes.NAMESPACE_NOT_ADMITTED: Explanation(
        Severity.ERROR,
        "The ClusterQueue is not for this namespace",
        "The labels of the job's namespace do not match `spec.namespaceSelector` of the ClusterQueue. No selector at"
        " all matches nothing; an empty one matches everything.",
        "Label the namespace as the selector asks.",
    ),
    codes.NO_WORKLOAD: Explanation(
        Severity.ERROR,
        "The queue has made no Workload of the job",
        "The job names a queue and is suspended, but Kueue has made no Workload for it: its runtime or priority class"
        " is missing, or Kueue does not know its kind.",
        "The event on the job says which.",
    ),
    codes.NOT_MANAGED: Explanation(
        Severity.WARNING,
        "The job names a queue and runs without it",
        "Kueue has made no Workload and does not hold the job: its namespace is not managed (on OpenShift those with"
        " the label `kueue.openshift.io/managed=true` are), the integration of its kind is off, or this Kueue is too"
        " old for it. It uses what the queue counts as free.",
        "Label the namespace, or switch the integration on; then submit the job again.",
    ),
    codes.FOREIGN_MANAGER: Explanation(
        Severity.ERROR,
        "The job is left to a controller that is not here",
        "`managedBy` names another controller than the usual one, and nothing has happened to the job: there is no such"
        " controller in this cluster, or it does not look at this job.",
        "Submit the job without `managedBy`, or start that controller.",
    ),
    codes.NEVER_ENOUGH: Explanation(
        Severity.ERROR,
        "The job asks for more than its queue can ever give",
        "All pods of a job are admitted together, so the requests of all of them count: of a PyTorchJob the Master's as"
        " well as the Workers'. Even with nobody else in the cohort the quota is smaller.",
        "Raise the quota, or ask for less.",
    ),
    codes.QUOTA_BUSY: Explanation(
        Severity.NOTE,
        "The quota is in use",
        "The job fits its queue, but others hold the quota now. It is admitted when enough of them have ended.",
        "Wait, or suspend one of those that hold the quota.",
    ),
    codes.NOT_COVERED: Explanation(
        Severity.ERROR,
        "The queue has no quota for a resource",
        "A job is admitted only if its queue covers every resource that its pods request. A resource that no resource"
        " group of the ClusterQueue names has no quota at all.",
        "Add the resource to the ClusterQueue, or do not request it.",
    ),
    codes.NO_FLAVOR_MATCHES: Explanation(
        Severity.ERROR,
        "No flavor of the queue suits the pods",
        "Every ResourceFlavor of the queue is ruled out: its nodes have a taint that the pods do not tolerate, or"
        " labels that their node selector or affinity excludes.",
        "Tolerate the taint in the job (or in the flavor's `tolerations`), or change the selector.",
    ),
    codes.DEACTIVATED: Explanation(
        Severity.ERROR,
        "The Workload is deactivated",
        "`spec.active` of the job's Workload is false: somebody set it, or it was requeued too often or ran for too"
        " long. Kueue keeps the job suspended and does not queue it.",
        "Activate the Workload again.",
    ),
    codes.CHECK_PENDING: Explanation(
        Severity.NOTE,
        "An admission check is not ready",
        "Quota is reserved, but an AdmissionCheck of the queue has not agreed yet.",
        "Wait for its controller; its message says what it waits for.",
    ),
    codes.BACKS_OFF: Explanation(
        Severity.NOTE,
        "The job was evicted and pauses",
        "After an eviction for pods that were not ready in time, or a check that asked for a retry, a job pauses before"
        " it is queued again.",
        "Wait for the time that is named.",
    ),
    codes.NO_PLACEMENT: Explanation(
        Severity.ERROR,
        "The pods fit no topology domain",
        "There is quota, but not the nodes: the pods are to be close together, and no domain of the level asked for has"
        " room for them, even if it were empty.",
        "Ask for a higher level (`podset-preferred-topology`), or for less.",
    ),
    codes.QUEUE_SAYS: Explanation(
        Severity.ERROR,
        "The queue refuses the job",
        "Kueue gives a reason that needs no numbers, or its queues cannot be read, so that there are none.",
        "The message is Kueue's own.",
    ),
    codes.CHECK_REJECTED: Explanation(
        Severity.ERROR,
        "An admission check has rejected the job",
        "Quota was there, but an AdmissionCheck refused. Kueue deactivates such a job.",
        "Mend what the check's message names, then activate the Workload again.",
    ),
    codes.SUSPENDED: Explanation(
        Severity.NOTE,
        "The job is suspended by its user",
        "`suspend` is set and no queue holds the job: nothing happens until somebody resumes it.",
        "`sidings resume NAME`.",
    ),
    codes.NOT_RELEASED: Explanation(
        Severity.ERROR,
        "The job is admitted and still suspended",
        "The queue has given quota, but the job was not unsuspended: its controller refuses the change (versions of"
        " Kueue and Trainer that do not fit each other), or somebody suspended it again.",
        "Unsuspend it; if that is refused, the message says by whom.",
    ),
    codes.BLOCKED_BY_HEAD: Explanation(
        Severity.ERROR,
        "The job ahead never gets its quota",
        "In a StrictFIFO queue nobody passes the first. The first asks for more than the queue can ever give, so it"
        " waits for ever, and everybody behind it.",
        "Deactivate the Workload ahead, give it quota, or make the queue BestEffortFIFO.",
    ),
}
