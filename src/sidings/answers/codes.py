"""The codes of findings: a title, how grave it is, what it means and how it is mended.

A code keeps its meaning for ever; one that is no longer found stays here. ``sidings explain`` prints an entry, and
``docs/findings.md`` is made of all of them.
"""

from __future__ import annotations

from typing import NamedTuple

from sidings.answers.finding import Finding, Severity


class Explanation(NamedTuple):
    """``meaning`` says how it comes about, ``mending`` what to do."""

    severity: Severity
    title: str
    meaning: str
    mending: str


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

# Queues and quota.
NO_LOCAL_QUEUE = "SDG-101"
LOCAL_QUEUE_STOPPED = "SDG-102"
NO_CLUSTER_QUEUE = "SDG-103"
CLUSTER_QUEUE_STOPPED = "SDG-104"
CLUSTER_QUEUE_INACTIVE = "SDG-105"
NAMESPACE_NOT_ADMITTED = "SDG-106"
NO_WORKLOAD = "SDG-107"
NOT_MANAGED = "SDG-108"
FOREIGN_MANAGER = "SDG-109"
NEVER_ENOUGH = "SDG-110"
QUOTA_BUSY = "SDG-111"
NOT_COVERED = "SDG-112"
NO_FLAVOR_MATCHES = "SDG-113"
DEACTIVATED = "SDG-114"
CHECK_PENDING = "SDG-115"
BACKS_OFF = "SDG-116"
NO_PLACEMENT = "SDG-117"
QUEUE_SAYS = "SDG-118"
CHECK_REJECTED = "SDG-119"
SUSPENDED = "SDG-120"
NOT_RELEASED = "SDG-121"
BLOCKED_BY_HEAD = "SDG-122"

# Pods, from their creation to their start.
FITS_NO_NODE = "SDG-201"
NODES_BUSY = "SDG-202"
NODES_EXCLUDED = "SDG-203"
PODS_REFUSED = "SDG-204"
NODES_TOO_FEW = "SDG-205"
STUCK_TERMINATING = "SDG-206"
GATED = "SDG-207"
NO_CLAIM = "SDG-211"
NO_CONFIG_MAP = "SDG-212"
NO_SECRET = "SDG-213"
NO_KEY = "SDG-214"
NO_IMAGE = "SDG-221"
NO_COMMAND = "SDG-222"
CANNOT_START = "SDG-223"
OUT_OF_MEMORY = "SDG-224"
EXITED = "SDG-225"
JOB_FAILED = "SDG-226"
OBSTACLE = "SDG-227"
RECOVERED = "SDG-228"
DEADLINE_EXCEEDED = "SDG-229"
PROBE_FAILS = "SDG-230"

# What logs tell.
NO_MODULE = "SDG-231"
CUDA_OUT_OF_MEMORY = "SDG-232"
COLLECTIVE_TIMED_OUT = "SDG-233"
RENDEZVOUS_TIMED_OUT = "SDG-234"
NO_ADDRESS = "SDG-235"
DISK_FULL = "SDG-236"
PERMISSION_DENIED = "SDG-237"
SHARED_MEMORY_FULL = "SDG-238"
NO_SUCH_GPU = "SDG-239"
RANKS_MISSING = "SDG-240"
CHECKPOINTS_VANISH = "SDG-241"
SOCKETS_ON_ONE_NODE = "SDG-242"
FIELDS_IGNORED = "SDG-243"

# What a check before a submission tells beside the above.
REFUSED = "SDG-301"
NO_LIMITS = "SDG-302"
NOT_QUEUED = "SDG-303"
NOTHING_LASTS = "SDG-304"
GRACE_TOO_SHORT = "SDG-305"
MEMORY_SEEN = "SDG-306"

EXPLANATIONS: dict[str, Explanation] = {
    NO_LOCAL_QUEUE: Explanation(
        _ERROR,
        "The LocalQueue does not exist",
        "The job's label `kueue.x-k8s.io/queue-name` names a LocalQueue that its namespace does not have. The job stays"
        " suspended until there is one.",
        "Create the LocalQueue, or label the job with one that exists.",
    ),
    LOCAL_QUEUE_STOPPED: Explanation(
        _ERROR,
        "The LocalQueue is stopped",
        "`spec.stopPolicy` of the LocalQueue keeps its jobs from being admitted (`Hold`), or evicts them as well"
        " (`HoldAndDrain`).",
        "Set `stopPolicy` to `None`.",
    ),
    NO_CLUSTER_QUEUE: Explanation(
        _ERROR,
        "The ClusterQueue does not exist",
        "The LocalQueue points to a ClusterQueue that is not there.",
        "Create the ClusterQueue with quota for what the job asks for. A LocalQueue cannot be pointed elsewhere.",
    ),
    CLUSTER_QUEUE_STOPPED: Explanation(
        _ERROR,
        "The ClusterQueue is stopped",
        "`spec.stopPolicy` of the ClusterQueue holds all its jobs.",
        "Set `stopPolicy` to `None`.",
    ),
    CLUSTER_QUEUE_INACTIVE: Explanation(
        _ERROR,
        "The ClusterQueue is not active",
        "It refers to a ResourceFlavor, AdmissionCheck or Topology that is missing or not active; until that is mended"
        " it admits nobody.",
        "Create what is missing, or take it out of the ClusterQueue.",
    ),
    NAMESPACE_NOT_ADMITTED: Explanation(
        _ERROR,
        "The ClusterQueue is not for this namespace",
        "The labels of the job's namespace do not match `spec.namespaceSelector` of the ClusterQueue. No selector at"
        " all matches nothing; an empty one matches everything.",
        "Label the namespace as the selector asks.",
    ),
    NO_WORKLOAD: Explanation(
        _ERROR,
        "The queue has made no Workload of the job",
        "The job names a queue and is suspended, but Kueue has made no Workload for it: its runtime or priority class"
        " is missing, or Kueue does not know its kind.",
        "The event on the job says which.",
    ),
    NOT_MANAGED: Explanation(
        _WARNING,
        "The job names a queue and runs without it",
        "Kueue has made no Workload and does not hold the job: its namespace is not managed (on OpenShift those with"
        " the label `kueue.openshift.io/managed=true` are), the integration of its kind is off, or this Kueue is too"
        " old for it. It uses what the queue counts as free.",
        "Label the namespace, or switch the integration on; then submit the job again.",
    ),
    FOREIGN_MANAGER: Explanation(
        _ERROR,
        "The job is left to a controller that is not here",
        "`managedBy` names another controller than the usual one, and nothing has happened to the job: there is no such"
        " controller in this cluster, or it does not look at this job.",
        "Submit the job without `managedBy`, or start that controller.",
    ),
    NEVER_ENOUGH: Explanation(
        _ERROR,
        "The job asks for more than its queue can ever give",
        "All pods of a job are admitted together, so the requests of all of them count: of a PyTorchJob the Master's as"
        " well as the Workers'. Even with nobody else in the cohort the quota is smaller.",
        "Raise the quota, or ask for less.",
    ),
    QUOTA_BUSY: Explanation(
        _NOTE,
        "The quota is in use",
        "The job fits its queue, but others hold the quota now. It is admitted when enough of them have ended.",
        "Wait, or suspend one of those that hold the quota.",
    ),
    NOT_COVERED: Explanation(
        _ERROR,
        "The queue has no quota for a resource",
        "A job is admitted only if its queue covers every resource that its pods request. A resource that no resource"
        " group of the ClusterQueue names has no quota at all.",
        "Add the resource to the ClusterQueue, or do not request it.",
    ),
    NO_FLAVOR_MATCHES: Explanation(
        _ERROR,
        "No flavor of the queue suits the pods",
        "Every ResourceFlavor of the queue is ruled out: its nodes have a taint that the pods do not tolerate, or"
        " labels that their node selector or affinity excludes.",
        "Tolerate the taint in the job (or in the flavor's `tolerations`), or change the selector.",
    ),
    DEACTIVATED: Explanation(
        _ERROR,
        "The Workload is deactivated",
        "`spec.active` of the job's Workload is false: somebody set it, or it was requeued too often or ran for too"
        " long. Kueue keeps the job suspended and does not queue it.",
        "Activate the Workload again.",
    ),
    CHECK_PENDING: Explanation(
        _NOTE,
        "An admission check is not ready",
        "Quota is reserved, but an AdmissionCheck of the queue has not agreed yet.",
        "Wait for its controller; its message says what it waits for.",
    ),
    BACKS_OFF: Explanation(
        _NOTE,
        "The job was evicted and pauses",
        "After an eviction for pods that were not ready in time, or a check that asked for a retry, a job pauses before"
        " it is queued again.",
        "Wait for the time that is named.",
    ),
    NO_PLACEMENT: Explanation(
        _ERROR,
        "The pods fit no topology domain",
        "There is quota, but not the nodes: the pods are to be close together, and no domain of the level asked for has"
        " room for them, even if it were empty.",
        "Ask for a higher level (`podset-preferred-topology`), or for less.",
    ),
    QUEUE_SAYS: Explanation(
        _ERROR,
        "The queue refuses the job",
        "Kueue gives a reason that needs no numbers, or its queues cannot be read, so that there are none.",
        "The message is Kueue's own.",
    ),
    CHECK_REJECTED: Explanation(
        _ERROR,
        "An admission check has rejected the job",
        "Quota was there, but an AdmissionCheck refused. Kueue deactivates such a job.",
        "Mend what the check's message names, then activate the Workload again.",
    ),
    SUSPENDED: Explanation(
        _NOTE,
        "The job is suspended by its user",
        "`suspend` is set and no queue holds the job: nothing happens until somebody resumes it.",
        "`sidings resume NAME`.",
    ),
    NOT_RELEASED: Explanation(
        _ERROR,
        "The job is admitted and still suspended",
        "The queue has given quota, but the job was not unsuspended: its controller refuses the change (versions of"
        " Kueue and Trainer that do not fit each other), or somebody suspended it again.",
        "Unsuspend it; if that is refused, the message says by whom.",
    ),
    BLOCKED_BY_HEAD: Explanation(
        _ERROR,
        "The job ahead never gets its quota",
        "In a StrictFIFO queue nobody passes the first. The first asks for more than the queue can ever give, so it"
        " waits for ever, and everybody behind it.",
        "Deactivate the Workload ahead, give it quota, or make the queue BestEffortFIFO.",
    ),
    FITS_NO_NODE: Explanation(
        _ERROR,
        "A pod is larger than every node",
        "The pod requests more of a resource than any node has, even if it were empty.",
        "Ask for less per pod and take more pods, or add a larger node.",
    ),
    NODES_BUSY: Explanation(
        _NOTE,
        "The nodes are busy",
        "A node is large enough for the pod, but other pods hold what it needs.",
        "Wait until they end, or suspend one of them.",
    ),
    NODES_EXCLUDED: Explanation(
        _ERROR,
        "No node is allowed for a pod",
        "Node selectors, taints or cordons rule out every node that is large enough.",
        "Label a node, tolerate or remove the taint, or uncordon the node.",
    ),
    PODS_REFUSED: Explanation(
        _ERROR,
        "The API refuses the job's pods",
        "The job was accepted, but its pods are not valid or are forbidden: an extended resource without a limit, a"
        " ResourceQuota, a service account that is missing, a rule of the namespace.",
        "The message is the API server's; mend the job's template.",
    ),
    NODES_TOO_FEW: Explanation(
        _ERROR,
        "The nodes cannot hold all pods of the job at once",
        "Each pod fits a node, but not all of them together, even if nobody else used the nodes. A queue counts quota,"
        " not nodes, so it may admit such a job; some of its ranks then wait for ever for the others.",
        "Take fewer or smaller pods, or add nodes.",
    ),
    STUCK_TERMINATING: Explanation(
        _ERROR,
        "A pod does not end",
        "The pod was deleted and its grace period is over, but it is still there: its node does not answer, or a"
        " finalizer is kept by a controller that is gone. The Job does not replace it until it has gone.",
        "Delete it by force, or take the finalizer off.",
    ),
    GATED: Explanation(
        _ERROR,
        "A scheduling gate stays on the pods",
        "A pod with `spec.schedulingGates` is not looked at by the scheduler until whoever set the gate removes it.",
        "Start the controller that removes the gate, or remove it.",
    ),
    NO_CLAIM: Explanation(
        _ERROR,
        "A PersistentVolumeClaim is missing",
        "A pod mounts a claim that its namespace does not have; it cannot be scheduled until there is one.",
        "Create the claim.",
    ),
    NO_CONFIG_MAP: Explanation(
        _ERROR,
        "A ConfigMap is missing",
        "A pod mounts or reads a ConfigMap that its namespace does not have; its containers do not start until there is"
        " one.",
        "Create the ConfigMap.",
    ),
    NO_SECRET: Explanation(
        _ERROR,
        "A Secret is missing",
        "A pod mounts or reads a Secret that its namespace does not have; its containers do not start until there is"
        " one.",
        "Create the Secret.",
    ),
    NO_KEY: Explanation(
        _ERROR,
        "A key of a ConfigMap or Secret is missing",
        "The object is there, but not the key that a pod's environment takes from it.",
        "Add the key.",
    ),
    NO_IMAGE: Explanation(
        _ERROR,
        "An image cannot be used",
        "The image has no valid name, does not exist, or the registry cannot be reached or refuses.",
        "Correct the image in the job and submit it again. Where a container engine runs the pods, pull it by hand: the"
        " registry's words are shown, and the pod starts once the image is there.",
    ),
    NO_COMMAND: Explanation(
        _ERROR,
        "A command does not exist",
        "The first word of the container's command is no program in its image or environment (exit code 127).",
        "Correct the command, or install the program.",
    ),
    CANNOT_START: Explanation(
        _ERROR,
        "A container cannot start",
        "The node could not start the container; its message says why.",
        "Mend what the message names and submit the job again.",
    ),
    OUT_OF_MEMORY: Explanation(
        _ERROR,
        "A container was killed for its memory",
        "The container used more memory than its limit (OOMKilled).",
        "Raise the memory limit, or use less: smaller batches, fewer data loader workers.",
    ),
    EXITED: Explanation(
        _ERROR,
        "A container ended with an error",
        "The program ended with another exit code than 0. Of several ranks the first that failed is shown, because its"
        " peers die of its death.",
        "Read the log of that rank.",
    ),
    JOB_FAILED: Explanation(
        _ERROR,
        "The job failed",
        "The job has ended as failed and none of its pods is left to tell more.",
        "The reason is the job's own. `sidings run` keeps the log of the rank that failed first.",
    ),
    OBSTACLE: Explanation(
        _WARNING,
        "A controller reports a problem",
        "The job has no pods, and the last warning about it is of none of the kinds that have a code of their own.",
        "The message is the controller's.",
    ),
    RECOVERED: Explanation(
        _NOTE,
        "The job was set back, and goes on",
        "A container ended with an error; it, its pod or the whole job was started again. Only what does not pass by"
        " itself, or has happened three times, is an error.",
        "Nothing, if it happens seldom. The log of the life before says why: `kubectl logs --previous`.",
    ),
    DEADLINE_EXCEEDED: Explanation(
        _ERROR,
        "The job ran for longer than it may",
        "`activeDeadlineSeconds` was over, so its pods were stopped, whatever they had reached.",
        "Submit it with a later deadline; with checkpoints it goes on where it was.",
    ),
    PROBE_FAILS: Explanation(
        _WARNING,
        "A probe of a container fails",
        "A readiness probe that fails keeps the pod out of Services and a queue's `waitForPodsReady` waiting; a"
        " liveness or startup probe that fails has the container killed and started again.",
        "Give the probe more time, or leave it out: a training process seldom serves anybody.",
    ),
    NO_MODULE: Explanation(
        _ERROR,
        "A Python module is missing",
        "The program imports a module that is not installed in its image or environment.",
        "Install it, or add it to the packages that the job installs.",
    ),
    CUDA_OUT_OF_MEMORY: Explanation(
        _ERROR,
        "A GPU has no memory left",
        "The program asked for more GPU memory than was free.",
        "Smaller batches, gradient accumulation, activation checkpointing, or more GPUs with FSDP. The command halves"
        " the batch where the job names it; where torch holds back as much memory as it lacks, it sets an allocator"
        " that leaves no holes.",
    ),
    COLLECTIVE_TIMED_OUT: Explanation(
        _ERROR,
        "A collective operation timed out",
        "NCCL or gloo waited for a rank that never came to the same operation. The rank that is missing is the cause:"
        " it died, hangs, or took another path through the program.",
        "Look for the rank that is not in this operation.",
    ),
    RENDEZVOUS_TIMED_OUT: Explanation(
        _ERROR,
        "The ranks did not find each other",
        "Not all ranks came to the rendezvous in time: a pod was late or never started, or the address or the number"
        " of nodes is wrong.",
        "Look for the rank that is missing.",
    ),
    NO_ADDRESS: Explanation(
        _ERROR,
        "A host name cannot be resolved",
        "The program looked up a name that the pod's resolver does not know: the master is gone, the headless Service"
        " is missing, or the name is misspelt.",
        "Compare the name with the Service and the pods' host names.",
    ),
    DISK_FULL: Explanation(
        _ERROR,
        "No space left on a volume",
        "A write failed because its file system is full.",
        "Remove old checkpoints, or use a larger volume. The command doubles the volume that the log names; where the"
        " machine's own disk is full, `sidings doctor` tells which.",
    ),
    PERMISSION_DENIED: Explanation(
        _ERROR,
        "Access to a file was denied",
        "The program may not read or write a path; images of OpenShift run as a user that owns little.",
        "Write below a mounted volume or /tmp, and set `HOME` where a library writes to it.",
    ),
    SHARED_MEMORY_FULL: Explanation(
        _ERROR,
        "Shared memory is too small",
        "`/dev/shm` of a container has 64 MiB unless a volume is mounted there. Data loader workers and NCCL share"
        " batches and buffers through it, and die of a bus error when it is full.",
        "Mount an `emptyDir` with `medium: Memory` at `/dev/shm`.",
    ),
    NO_SUCH_GPU: Explanation(
        _ERROR,
        "There are more processes than GPUs",
        "A process asked for a GPU by a number that its pod does not have: more processes a pod are started than it has"
        " GPUs.",
        "Start as many processes a pod as it has GPUs.",
    ),
    RANKS_MISSING: Explanation(
        _NOTE,
        "Some ranks wait for others",
        "Some pods of the job run, and wait in the rendezvous for those that do not yet.",
        "See the findings about the pods that are missing.",
    ),
    CHECKPOINTS_VANISH: Explanation(
        _WARNING,
        "Checkpoints are written where they vanish",
        "A path that the job calls its checkpoint or output directory is on no volume that outlives the pod. After a"
        " restart or a preemption training begins anew, and its result is lost with its pods.",
        "Mount a PersistentVolumeClaim at that path.",
    ),
    SOCKETS_ON_ONE_NODE: Explanation(
        _WARNING,
        "Ranks of one node talk over sockets",
        "Pods of the job share a node, and NCCL connects them by `NET/Socket` instead of NVLink or shared memory, many"
        " times slower: it takes pods with different host names and `/dev/shm` for different machines.",
        "One pod a node with all its GPUs, or `NCCL_HOSTID` and `/dev/shm` shared among the pods.",
    ),
    FIELDS_IGNORED: Explanation(
        _WARNING,
        "The API server dropped fields of the manifest",
        "The manifest that was applied has fields that the stored object lacks: the version of the kind in this cluster"
        " does not know them, so they have no effect (`podTemplateOverrides` of Trainer 2.1 are `runtimePatches` since"
        " 2.2).",
        "Write the manifest for the version that the cluster serves: `kubectl explain KIND.spec`.",
    ),
    REFUSED: Explanation(
        _ERROR,
        "The API server would refuse the object",
        "The object is not valid, its kind is not served, or a rule of the cluster forbids it.",
        "The message names the field.",
    ),
    NO_LIMITS: Explanation(
        _WARNING,
        "A container has no memory limit",
        "Without a limit one job can take the memory of all others on its node.",
        "Set `resources.limits.memory`.",
    ),
    NOT_QUEUED: Explanation(
        _NOTE,
        "The job names no queue",
        "There are queues in the namespace, but the job has no label `kueue.x-k8s.io/queue-name`: it starts at once and"
        " counts for nobody's quota.",
        "Label the job with one of the queues.",
    ),
    NOTHING_LASTS: Explanation(
        _WARNING,
        "Nothing the job writes lasts",
        "No container mounts a claim, so checkpoints go with their pod unless they are sent elsewhere.",
        "Mount a PersistentVolumeClaim and write checkpoints to it.",
    ),
    GRACE_TOO_SHORT: Explanation(
        _WARNING,
        "The grace period is shorter than the save",
        "A pod that is stopped gets SIGTERM, and SIGKILL after `terminationGracePeriodSeconds`; torchrun kills its"
        " workers after 30 seconds. A checkpoint that is not written by then is lost or torn.",
        "Give the pods a longer `terminationGracePeriodSeconds`.",
    ),
    MEMORY_SEEN: Explanation(
        _WARNING,
        "The memory limit is below what was used before",
        "Pods of a job of this name or image were seen to use more memory than the limit allows now, or were killed for"
        " it.",
        "Raise `resources.limits.memory` above what was seen.",
    ),
}

WORDS = {
    value: name.title().replace("_", "")
    for name, value in globals().items()
    if isinstance(value, str) and value in EXPLANATIONS
}
"""Code -> what it is called in one word, as a reason of events: ``NeverEnough``."""


def finding(code: str, where: str, what: str, *, cause: str = "", remedy: str = "") -> Finding:
    """A finding with the severity of its code."""
    return Finding(code, EXPLANATIONS[code].severity, where, what, cause, remedy)
