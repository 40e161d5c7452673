"""What a user of the `kubeflow-training` SDK writes where a queue hands out the GPUs, for a number of workers."""

import sys

from kubeflow.training import TrainingClient


def train():
    import torch.distributed as dist

    dist.init_process_group(backend="gloo")
    if dist.get_rank() == 0:
        print(f"world size {dist.get_world_size()}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


workers = int(sys.argv[1])
TrainingClient(namespace="assistants").create_job(
    name=f"sdk-{workers}",
    train_func=train,
    base_image="registry.redhat.io/rhoai/odh-training-cuda128-torch28-py312-rhel9:v3.0",
    num_workers=workers,
    resources_per_worker={"nvidia.com/gpu": "2"},
    labels={"kueue.x-k8s.io/queue-name": "tuning"},
)
print("{}")
