"""A container of one's own with every option of the `kubeflow` SDK, and its builtin trainer; prints the answers."""

import json
import sys
import time

from kubeflow.trainer import BuiltinTrainer, CustomTrainerContainer, TorchTuneConfig, TrainerClient
from kubeflow.trainer.options import (
    ActiveDeadlineSeconds,
    Annotations,
    ContainerPatch,
    JobSetSpecPatch,
    JobSetTemplatePatch,
    JobSpecPatch,
    JobTemplatePatch,
    Labels,
    Name,
    PodSpecPatch,
    PodTemplatePatch,
    ReplicatedJobPatch,
    RuntimePatch,
    TrainerArgs,
    TrainerCommand,
    TrainingRuntimeSpecPatch,
)


def patch():
    """A volume of its own for the trainer's container."""
    container = ContainerPatch(name="node", volume_mounts=[{"name": "scratch", "mountPath": "/scratch"}])
    pod = PodTemplatePatch(spec=PodSpecPatch(volumes=[{"name": "scratch", "emptyDir": {}}], containers=[container]))
    job = ReplicatedJobPatch(name="node", template=JobTemplatePatch(spec=JobSpecPatch(template=pod)))
    job_set = JobSetTemplatePatch(spec=JobSetSpecPatch(replicated_jobs=[job]))
    return RuntimePatch(training_runtime_spec=TrainingRuntimeSpecPatch(template=job_set))


def container(client):
    job = client.train(
        runtime="torch-distributed",
        trainer=CustomTrainerContainer(image="quay.io/me/mine:1", num_nodes=2, env={"WORD": "said"}),
        options=[
            Name("own"),
            Labels({"team": "fraud"}),
            Annotations({"note": "kept"}),
            ActiveDeadlineSeconds(600),
            TrainerCommand(["bash", "-c"]),
            TrainerArgs(['echo "$WORD" of $PET_NNODES > /scratch/file; cat /scratch/file']),
            patch(),
        ],
    )
    done = client.wait_for_job_status(job, timeout=120)
    stored = client.backend.custom_api.get_namespaced_custom_object(
        "trainer.kubeflow.org", "v1alpha1", "default", "trainjobs", job
    )
    metadata = stored["metadata"]
    answers = {
        "metadata": [
            metadata["labels"],
            {key: value for key, value in metadata["annotations"].items() if not key.startswith("sidings.dev/")},
            stored["spec"]["activeDeadlineSeconds"],
        ],
        "name": job,
        "status": done.status,
        "logs": [list(client.get_job_logs(job, step=f"node-{rank}")) for rank in range(2)],
    }
    client.delete_job(job)
    return answers


def builtin(client):
    """What is told of fine-tuning by torchtune where that is not installed."""
    job = client.train(
        runtime=client.get_runtime("torchtune-llama3.2-1b"),
        trainer=BuiltinTrainer(config=TorchTuneConfig(batch_size=2, epochs=1, num_nodes=1)),
        options=[Name("tuned")],
    )
    told = {}
    for _ in range(60):
        told |= {event.reason: event.message for event in client.get_job_events(job)}
        if "SoftwareMissing" in told:
            break
        time.sleep(0.5)
    client.delete_job(job)
    return told


def main():
    client = TrainerClient()
    json.dump({"container": container(client), "builtin": builtin(client)}, sys.stdout)


main()
