"""What a user of the `kubeflow-training` SDK writes, for a number of workers; prints the answers as JSON."""

import json
import sys

from kubeflow.training import TrainingClient


def train(parameters):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    total = torch.tensor([float(dist.get_rank())])
    dist.all_reduce(total)
    rank, world = dist.get_rank(), dist.get_world_size()
    print(f"{parameters['name']}: rank {rank} of {world}, sum {total.item()}", flush=True)
    dist.destroy_process_group()


def main(workers):
    client = TrainingClient()
    name = f"sdk-{workers}"
    client.create_job(
        name=name,
        train_func=train,
        parameters={"name": "hello"},
        num_workers=workers,
        num_procs_per_worker=1,
        resources_per_worker={"cpu": 1, "memory": "1Gi"},
    )
    client.wait_for_job_conditions(name, polling_interval=1, wait_timeout=120)
    logs, events = client.get_job_logs(name, is_master=False, verbose=True)
    answers = {
        "conditions": [[condition.type, condition.status] for condition in client.get_job_conditions(name)],
        "succeeded": client.is_job_succeeded(name),
        "pods": sorted(client.get_job_pod_names(name)),
        "master": client.get_job_pod_names(name, is_master=True),
        "logs": dict(sorted(logs.items())),
        "rank": client.get_job_logs(name, is_master=False, replica_type="worker", replica_index=0)[0],
        "told": sorted(events),
        "listed": [job.metadata.name for job in client.list_jobs()],
    }
    client.delete_job(name)
    try:
        client.get_job(name)
    except RuntimeError as error:
        answers["gone"] = "not found" in str(error)
    json.dump(answers, sys.stdout)


main(int(sys.argv[1]))
