"""What `TrainingClient.create_job` makes of its arguments; prints the jobs as the API has them."""

import json
import sys

from kubeflow.training import TrainingClient
from kubernetes.client import V1Volume


def train():
    print("hello")


def shape(job):
    """Replicas by role, and of the first role's container what the arguments decide."""
    roles = job.spec.pytorch_replica_specs
    container = next(iter(roles.values())).template.spec.containers[0]
    words = container.args[0].split() if container.args else []
    resources = container.resources
    return {
        "replicas": {role: spec.replicas for role, spec in roles.items()},
        "image": container.image,
        "command": container.command,
        "starter": "torchrun" if "torchrun" in words else "python -u" if "python" in words and "-u" in words else None,
        "nproc": job.spec.nproc_per_node,
        "limits": resources.limits if resources else None,
        "requests": resources.requests if resources else None,
    }


def main():
    client = TrainingClient()
    answers = {}
    for name, arguments in {
        "gpus": {"train_func": train, "num_workers": 2, "resources_per_worker": {"gpu": "2"}},
        "alone": {"train_func": train, "num_workers": 1},
        "image": {"base_image": "quay.io/me/mine:1", "num_workers": 3, "num_procs_per_worker": "auto"},
    }.items():
        client.create_job(name=name, **arguments)
        answers[name] = shape(client.get_job(name))
        client.delete_job(name)
    try:
        client.create_job(name="odd", train_func=train, volumes=[V1Volume(name="v")], volume_mounts=[])
    except ValueError as error:
        answers["odd"] = str(error)
    json.dump(answers, sys.stdout)


main()
