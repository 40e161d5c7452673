"""What a user of the `kubeflow` SDK writes; prints what it was answered as one JSON document."""

import json
import sys

from kubeflow.trainer import CustomTrainer, TrainerClient


def train(name):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    total = torch.tensor([float(dist.get_rank())])
    dist.all_reduce(total)
    print(f"{name}: rank {dist.get_rank()} of {dist.get_world_size()}, sum {total.item()}", flush=True)
    dist.destroy_process_group()


def main():
    client = TrainerClient()
    runtimes = [runtime.name for runtime in client.list_runtimes()]
    job = client.train(
        runtime=client.get_runtime("torch-distributed"),
        trainer=CustomTrainer(
            func=train, func_args={"name": "hello"}, num_nodes=2, resources_per_node={"cpu": 1, "memory": "1Gi"}
        ),
    )
    started = client.wait_for_job_status(job, status={"Running", "Complete"}, timeout=120).status
    followed = list(client.get_job_logs(job, follow=True))
    done = client.wait_for_job_status(job, timeout=120)
    answers = {
        "runtimes": runtimes,
        "started": started,
        "followed": followed,
        "status": done.status,
        "got": [client.get_job(job).num_nodes, client.get_job(job).runtime.name],
        "steps": [[step.name, step.status] for step in done.steps],
        "logs": [next(iter(client.get_job_logs(job, step=f"node-{rank}")), "") for rank in range(2)],
        "events": sorted({event.reason for event in client.get_job_events(job)}),
        "listed": [listed.name == job for listed in client.list_jobs()],
    }
    client.delete_job(job)
    json.dump(answers, sys.stdout)


main()
