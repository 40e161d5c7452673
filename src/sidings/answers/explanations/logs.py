"""SDG-231 and on: what the logs of pods tell, and the way they run."""

from __future__ import annotations

from collections.abc import Mapping

from sidings.answers import codes
from sidings.answers.explanations.explanation import Explanation
from sidings.answers.finding import Severity

EXPLANATIONS: Mapping[str, Explanation] = {
    codes.NO_MODULE: Explanation(
        Severity.ERROR,
        "A Python module is missing",
        "The program imports a module that is not installed in its image or environment.",
        "Install it, or add it to the packages that the job installs.",
    ),
    codes.CUDA_OUT_OF_MEMORY: Explanation(
        Severity.ERROR,
        "A GPU has no memory left",
        "The program asked for more GPU memory than was free.",
        "Smaller batches, gradient accumulation, activation checkpointing, or more GPUs with FSDP. The command halves"
        " the batch where the job names it; where torch holds back as much memory as it lacks, it sets an allocator"
        " that leaves no holes.",
    ),
    codes.COLLECTIVE_TIMED_OUT: Explanation(
        Severity.ERROR,
        "A collective operation timed out",
        "NCCL or gloo waited for a rank that never came to the same operation. The rank that is missing is the cause:"
        " it died, hangs, or took another path through the program.",
        "Look for the rank that is not in this operation.",
    ),
    codes.RENDEZVOUS_TIMED_OUT: Explanation(
        Severity.ERROR,
        "The ranks did not find each other",
        "Not all ranks came to the rendezvous in time: a pod was late or never started, or the address or the number"
        " of nodes is wrong.",
        "Look for the rank that is missing.",
    ),
    codes.NO_ADDRESS: Explanation(
        Severity.ERROR,
        "A host name cannot be resolved",
        "The program looked up a name that the pod's resolver does not know: the master is gone, the headless Service"
        " is missing, or the name is misspelt.",
        "Compare the name with the Service and the pods' host names.",
    ),
    codes.DISK_FULL: Explanation(
        Severity.ERROR,
        "No space left on a volume",
        "A write failed because its file system is full.",
        "Remove old checkpoints, or use a larger volume. The command doubles the volume that the log names; where the"
        " machine's own disk is full, `sidings doctor` tells which.",
    ),
    codes.PERMISSION_DENIED: Explanation(
        Severity.ERROR,
        "Access to a file was denied",
        "The program may not read or write a path; images of OpenShift run as a user that owns little.",
        "Write below a mounted volume or /tmp, and set `HOME` where a library writes to it.",
    ),
    codes.SHARED_MEMORY_FULL: Explanation(
        Severity.ERROR,
        "Shared memory is too small",
        "`/dev/shm` of a container has 64 MiB unless a volume is mounted there. Data loader workers and NCCL share"
        " batches and buffers through it, and die of a bus error when it is full.",
        "Mount an `emptyDir` with `medium: Memory` at `/dev/shm`.",
    ),
    codes.NO_SUCH_GPU: Explanation(
        Severity.ERROR,
        "There are more processes than GPUs",
        "A process asked for a GPU by a number that its pod does not have: more processes a pod are started than it has"
        " GPUs.",
        "Start as many processes a pod as it has GPUs.",
    ),
    codes.RANKS_MISSING: Explanation(
        Severity.NOTE,
        "Some ranks wait for others",
        "Some pods of the job run, and wait in the rendezvous for those that do not yet.",
        "See the findings about the pods that are missing.",
    ),
    codes.CHECKPOINTS_VANISH: Explanation(
        Severity.WARNING,
        "Checkpoints are written where they vanish",
        "A path that the job calls its checkpoint or output directory is on no volume that outlives the pod. After a"
        " restart or a preemption training begins anew, and its result is lost with its pods.",
        "Mount a PersistentVolumeClaim at that path.",
    ),
    codes.SOCKETS_ON_ONE_NODE: Explanation(
        Severity.WARNING,
        "Ranks of one node talk over sockets",
        "Pods of the job share a node, and NCCL connects them by `NET/Socket` instead of NVLink or shared memory, many"
        " times slower: it takes pods with different host names and `/dev/shm` for different machines.",
        "One pod a node with all its GPUs, or `NCCL_HOSTID` and `/dev/shm` shared among the pods.",
    ),
    codes.FIELDS_IGNORED: Explanation(
        Severity.WARNING,
        "The API server dropped fields of the manifest",
        "The manifest that was applied has fields that the stored object lacks: the version of the kind in this cluster"
        " does not know them, so they have no effect (`podTemplateOverrides` of Trainer 2.1 are `runtimePatches` since"
        " 2.2).",
        "Write the manifest for the version that the cluster serves: `kubectl explain KIND.spec`.",
    ),
}
