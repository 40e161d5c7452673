"""The runtimes of each profile, as data and as what a TrainJob on them becomes."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.api.trainer import rules
from sidings.controllers.trainjob import job_set, profiles
from tests.trainjobs import train_job

OWN = {
    "deepspeed-distributed": "deepspeed",
    "jax-distributed": "jax",
    "mlx-distributed": "mlx",
    "torch-distributed": "torch",
    "torchtune-llama3.2-1b": "torchtune",
    "torchtune-llama3.2-3b": "torchtune",
    "torchtune-qwen2.5-1.5b": "torchtune",
    "xgboost-distributed": "xgboost",
}


def frameworks(name: str) -> dict[str, str]:
    found = profiles.profile(name).runtimes
    return {item["metadata"]["name"]: item["metadata"]["labels"]["trainer.kubeflow.org/framework"] for item in found}


def runtime_of(name: str, profile: str = "") -> Object:
    return next(item for item in profiles.profile(profile).runtimes if item["metadata"]["name"] == name)


def test_default_is_that_of_the_trainer() -> None:
    assert frameworks("") == frameworks("trainer-2.3") == OWN
    assert profiles.profile("").version == "v2.3.0"


@pytest.mark.parametrize(("release", "count"), [("3.2", 5), ("3.3", 6), ("3.4", 15), ("3.5", 12)])
def test_releases_of_openshift_ai(release: str, count: int) -> None:
    found = frameworks(f"rhoai-{release}")
    assert len(found) == count
    assert {"torch-distributed", "torch-distributed-rocm", "training-hub"} <= set(found)
    assert found["training-hub"] == "training-hub"
    assert profiles.profile(f"rhoai-{release}").version == "v2.1.0"


def test_unknown_profile() -> None:
    with pytest.raises(KeyError):
        profiles.profile("rhoai-1.0")
    assert profiles.names() == ["trainer-2.3", "rhoai-3.2", "rhoai-3.3", "rhoai-3.4", "rhoai-3.5"]


@pytest.mark.parametrize("profile", profiles.names())
def test_every_runtime_makes_a_job_set(profile: str) -> None:
    for runtime in profiles.profile(profile).runtimes:
        job = train_job({"numNodes": 1}, runtime_name=runtime["metadata"]["name"])
        assert rules.against_runtime(rules.Request(job=job, old=None, runtime=runtime, job_set=None)) == []
        built = job_set.build(job, runtime).job_set
        assert built["spec"]["replicatedJobs"][-1]["template"]["spec"]["parallelism"] == 1


def test_torch_distributed() -> None:
    built = job_set.build(
        train_job({"numNodes": 2, "command": ["torchrun", "x.py"]}), runtime_of("torch-distributed")
    ).job_set
    (node,) = built["spec"]["replicatedJobs"]
    assert node["template"]["spec"]["parallelism"] == 2
    (container,) = node["template"]["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["torchrun", "x.py"]
    assert container["env"][0] == {"name": "PET_NNODES", "value": "2"}


def test_torchtune_keeps_its_paths() -> None:
    trainer = {"command": ["tune", "run"], "numProcPerNode": 1}
    job = train_job(trainer, runtime_name="torchtune-qwen2.5-1.5b")
    built = job_set.build(job, runtime_of("torchtune-qwen2.5-1.5b")).job_set
    node = built["spec"]["replicatedJobs"][2]["template"]["spec"]["template"]["spec"]["containers"][0]
    assert node["command"] == [
        "tune", "run", "full_finetune_single_device", "--config", "qwen2_5/1.5B_full_single_device",
        "output_dir=/workspace/output", "tokenizer.path=/workspace/model/vocab.json",
        "tokenizer.merges_file=/workspace/model/merges.txt", "checkpointer.checkpoint_dir=/workspace/model",
    ]  # fmt: skip
