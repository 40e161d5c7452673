"""Labels, container names and other fixed words of Kubeflow Trainer 2.3 (``pkg/constants/constants.go``)."""

from __future__ import annotations

ANCESTOR_LABEL = "trainer.kubeflow.org/trainjob-ancestor-step"
"""On a replicatedJob's Job template: which part of the TrainJob is merged into it."""
FRAMEWORK_LABEL = "trainer.kubeflow.org/framework"
SUPPORT_LABEL = "trainer.kubeflow.org/support"
DEPRECATED = "deprecated"

TRAINER = "trainer"
DATASET_INITIALIZER = "dataset-initializer"
MODEL_INITIALIZER = "model-initializer"

NODE = "node"
"""The container that trains, in the replicatedJob whose ancestor is ``trainer``; also MPI's worker replicatedJob."""
LAUNCHER = "launcher"
CONTAINER_OF_ANCESTOR = {
    TRAINER: NODE,
    DATASET_INITIALIZER: DATASET_INITIALIZER,
    MODEL_INITIALIZER: MODEL_INITIALIZER,
}
INITIALIZER_VOLUME = "initializer"
MPI_KEYS_VOLUME = "mpi-ssh-auth"
"""The volume with the key pair of an MPI job."""

VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
"""On the JobSet: the queue of Volcano's PodGroup."""

STATE = "sidings.dev/state"
"""On a TrainJob that has not ended: what it does now, as in ``Restarting(1/6)``."""
QUEUED = "Queued"
"""What it says there while a queue holds it."""
FIRST_FAILURE = "sidings.dev/first-failure"
"""Which rank failed first, and below it the last lines of its log."""

PROGRESSION = "trainer.opendatahub.io/trainerStatus"
"""On a TrainJob: what OpenShift AI's controller was told of its progress, as JSON (Red Hat's fork, 3.2 to 3.5)."""

RENDEZVOUS_PORT = 29500
COMPLETION_INDEX_PATH = "metadata.annotations['batch.kubernetes.io/job-completion-index']"

BUILTIN_CONTROLLER = "trainer.kubeflow.org/trainjob-controller"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"

TORCH_ENV = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")


def status_audience(namespace: str, job_name: str) -> str:
    """For whom the token is with which a pod reports its progress; also the path below ``/apis/``."""
    return f"trainer.kubeflow.org/v1alpha1/namespaces/{namespace}/trainjobs/{job_name}/status"


def master_host(job_name: str) -> str:
    """The first training pod's DNS name. Upstream ignores ``network.subdomain`` and the replicatedJob's real name."""
    return f"{job_name}-node-0-0.{job_name}"
