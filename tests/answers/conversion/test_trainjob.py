from __future__ import annotations

import random
from typing import Any

import pytest

from sidings.answers.conversion.finding import NotConvertible
from sidings.answers.conversion.trainjob import convert
from sidings.api import catalog
from sidings.api.objects import Object, copy_of
from sidings.api.options import WriteOptions
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES
from sidings.clock import ManualClock
from sidings.controllers.trainjob import profiles
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.answers.conversion.jobs import TORCHRUN, container, fields_of, pods, torch

OPTIONS = WriteOptions(field_manager="test")


def trainer(job: Object) -> Any:
    return convert(job).documents[-1]["spec"]["trainer"]


def test_a_plain_job_needs_the_shared_runtime_only() -> None:
    (made,) = convert(torch(nprocPerNode="2", metadata={"labels": {"kueue.x-k8s.io/queue-name": "q"}})).documents
    assert made["metadata"] == {"name": "old", "labels": {"kueue.x-k8s.io/queue-name": "q"}}
    assert made["spec"] == {
        "runtimeRef": {"kind": "ClusterTrainingRuntime", "name": "torch-distributed"},
        "trainer": {"numNodes": 3, "numProcPerNode": 2, "image": "img:1", "command": TORCHRUN},
    }


def test_the_job_itself_is_not_changed() -> None:
    job = torch({"Master": pods(pod={"nodeSelector": {"a": "b"}})})
    before = copy_of(job)
    convert(job)
    assert job == before


def test_a_plain_script_is_told_its_rank_by_the_job() -> None:
    conversion = convert(torch({"Master": pods(1, container(command=["python", "x.py"]))}))
    names = [variable["name"] for variable in conversion.documents[-1]["spec"]["trainer"]["env"]]
    assert names == ["MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"]
    assert "changed env" in fields_of(conversion.findings)


def test_own_variables_win_over_those() -> None:
    own = {"name": "WORLD_SIZE", "value": "9"}
    env = trainer(torch({"Master": pods(1, container(command=["python", "x.py"], env=[own]))}))["env"]
    assert env[-1] == own


def test_reserved_variables_are_lost() -> None:
    conversion = convert(torch({"Master": pods(1, container(env=[{"name": "PET_NNODES", "value": "1"}]))}))
    assert "env" not in conversion.documents[-1]["spec"]["trainer"]
    assert "lost env PET_NNODES" in fields_of(conversion.findings)


def test_an_elastic_job_gets_its_highest_number_of_workers() -> None:
    conversion = convert(torch({"Worker": pods(2)}, elasticPolicy={"minReplicas": 1, "maxReplicas": 4}))
    assert conversion.documents[-1]["spec"]["trainer"]["numNodes"] == 4
    assert "lost spec.elasticPolicy" in fields_of(conversion.findings)


def test_auto_is_left_to_the_runtime_and_words_are_lost() -> None:
    assert "numProcPerNode" not in trainer(torch(nprocPerNode="auto"))
    assert "lost spec.nprocPerNode" in fields_of(convert(torch(nprocPerNode="gpu")).findings)


def test_volumes_need_a_runtime_which_comes_first() -> None:
    volumes = [{"name": "v", "emptyDir": {}}]
    master = pods(1, container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), pod={"volumes": volumes})
    made, job = convert(torch({"Master": master})).documents
    assert made["kind"] == "TrainingRuntime"
    assert job["spec"]["runtimeRef"] == {"kind": "TrainingRuntime", "name": "old"}


@pytest.mark.parametrize(
    ("job", "why"),
    [
        (torch({"Master": pods(), "Worker": pods(1, container(image="other"))}), "different pod templates"),
        (torch({"Master": pods(), "Worker": pods(restartPolicy="Never")}), "different restart policies"),
        ({**torch(), "kind": "TFJob"}, "no plug-in that does what a TFJob does"),
        ({**torch(), "apiVersion": "v1"}, "no job of the Training Operator"),
    ],
)
def test_some_jobs_have_no_successor(job: Object, why: str) -> None:
    with pytest.raises(NotConvertible, match=why):
        convert(job)


@pytest.mark.parametrize("policy", ["OnFailure", "Never", "ExitCode"])
async def test_the_api_accepts_what_is_made(policy: str) -> None:
    clock, store = ManualClock(), Store.in_memory()
    kinds = catalog.builtin()
    plugins = defaults.plugins(clock, service_accounts=False)[
        1:
    ]  # without the life cycle of namespaces: there are none
    registry = Registry(store, kinds, clock, random.Random(1), admission=plugins)
    runtimes = kinds.by_kind(
        CLUSTER_TRAINING_RUNTIMES.group, CLUSTER_TRAINING_RUNTIMES.version, "ClusterTrainingRuntime"
    )
    assert runtimes is not None
    for shipped in profiles.profile("").runtimes:
        await registry.create(runtimes, shipped, "", OPTIONS)
    old = torch(
        {"Master": pods(restartPolicy=policy, pod={"nodeSelector": {"a": "b"}})},
        runPolicy={"ttlSecondsAfterFinished": 5, "suspend": True, "activeDeadlineSeconds": 5},
    )
    for obj in convert(old).documents:
        kind = kinds.by_api_version(obj["apiVersion"], obj["kind"])
        assert kind is not None
        await registry.create(kind, obj, "default", WriteOptions(field_manager="test", field_validation="Strict"))
    await store.close()
