"""The JobSet of a TrainJob: the worked example, the merge rules M1, M2, M12, M13, and when it is applied."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import job_set
from sidings.controllers.trainjob.errors import BuildError
from tests.trainjobs import initializer_job, patch, replicated_job, runtime, train_job, trainer_job

TORCH: Object = {"torch": {}}


def build(job: Object, rt: Object) -> Object:
    return job_set.build(job, rt).job_set


def node_of(built: Object, name: str = "node", container: str = "node") -> Object:
    for job in built["spec"]["replicatedJobs"]:
        if job["name"] == name:
            for item in job["template"]["spec"]["template"]["spec"]["containers"]:
                if item["name"] == container:
                    found: Object = item
                    return found
    raise AssertionError(f"no container {container} in {name}")


def test_worked_example() -> None:
    trainer = {
        "image": "I",
        "command": ["torchrun", "train.py"],
        "numNodes": 2,
        "env": [{"name": "FOO", "value": "bar"}],
        "resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}},
    }
    index = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    assert build(train_job(trainer, name="pt"), runtime(policy=TORCH | {"numNodes": 1})) == {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {
            "name": "pt",
            "namespace": "team",
            "ownerReferences": [
                {
                    "apiVersion": "trainer.kubeflow.org/v1alpha1",
                    "kind": "TrainJob",
                    "name": "pt",
                    "uid": "uid-of-pt",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "suspend": False,
            "replicatedJobs": [
                {
                    "name": "node",
                    "replicas": 1,
                    "template": {
                        "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                        "spec": {
                            "parallelism": 2,
                            "completions": 2,
                            "template": {
                                "metadata": {},
                                "spec": {
                                    "containers": [
                                        {
                                            "name": "node",
                                            "image": "I",
                                            "command": ["torchrun", "train.py"],
                                            "env": [
                                                {"name": "FOO", "value": "bar"},
                                                {"name": "PET_NNODES", "value": "2"},
                                                {"name": "PET_NPROC_PER_NODE", "value": "auto"},
                                                {
                                                    "name": "PET_NODE_RANK",
                                                    "valueFrom": {"fieldRef": {"fieldPath": index}},
                                                },
                                                {"name": "PET_MASTER_ADDR", "value": "pt-node-0-0.pt"},
                                                {"name": "PET_MASTER_PORT", "value": "29500"},
                                            ],
                                            "ports": [{"containerPort": 29500, "protocol": "TCP"}],
                                            "resources": {"limits": {"nvidia.com/gpu": "4"}},
                                        }
                                    ]
                                },
                            },
                        },
                    },
                }
            ],
        },
    }


def test_unset_fields_keep_the_runtimes() -> None:
    rt = runtime(trainer_job(command=["a"], args=["b"], env=[{"name": "A", "value": "1"}]))
    node = node_of(build(train_job({"env": [{"name": "A", "value": "2"}]}), rt))
    assert (node["image"], node["command"], node["args"]) == ("img:1", ["a"], ["b"])
    assert node["env"] == [{"name": "A", "value": "2"}]


def test_empty_command_clears_the_runtimes() -> None:
    node = node_of(build(train_job({"command": [], "args": []}), runtime(trainer_job(command=["a"], args=["b"]))))
    assert "command" not in node
    assert "args" not in node


def test_user_env_of_jax_wins_in_the_end() -> None:
    job = train_job({"env": [{"name": "JAX_NUM_PROCESSES", "value": "9"}, {"name": "U", "value": "1"}]})
    node = node_of(build(job, runtime(policy={"jax": {}})))
    assert [(item["name"], item.get("value")) for item in node["env"]] == [
        ("JAX_NUM_PROCESSES", "9"),
        ("JAX_PROCESS_ID", None),
        ("JAX_COORDINATOR_ADDRESS", "tj-node-0-0.tj:29500"),
        ("U", "1"),
    ]


def test_initializers() -> None:
    env = [{"name": "STORAGE_URI", "value": "hf://runtime"}]
    rt = runtime(
        initializer_job("dataset-initializer", env=env), initializer_job("model-initializer", env=env), trainer_job()
    )
    config = {"storageUri": "hf://d", "env": [{"name": "A", "value": "1"}], "secretRef": {"name": "s"}}
    built = build(train_job({}, initializer={"dataset": config}), rt)
    dataset = node_of(built, "dataset-initializer", "dataset-initializer")
    assert dataset["env"] == [{"name": "STORAGE_URI", "value": "hf://d"}, {"name": "A", "value": "1"}]
    assert dataset["envFrom"] == [{"secretRef": {"name": "s"}}]
    assert node_of(built, "model-initializer", "model-initializer")["env"] == env


def test_empty_storage_uri_is_given_and_a_missing_one_is_not() -> None:
    env = [{"name": "STORAGE_URI", "value": "hf://runtime"}]
    rt = runtime(initializer_job("dataset-initializer", env=env))
    for config, uri in (({"storageUri": ""}, ""), ({}, "hf://runtime")):
        built = build(train_job({}, initializer={"dataset": config}), rt)
        (variable,) = node_of(built, "dataset-initializer", "dataset-initializer")["env"]
        assert variable["value"] == uri


def test_replicas_and_counts() -> None:
    rt = runtime(
        trainer_job(job_spec={"parallelism": 5, "completions": 5, "backoffLimit": 7}) | {"replicas": 3},
        replicated_job("aux", job_spec={"parallelism": 3}) | {"replicas": 2},
        policy=TORCH,
    )
    node, aux = build(train_job({}), rt)["spec"]["replicatedJobs"]
    assert (node["replicas"], aux["replicas"]) == (1, 2)
    assert [(j["template"]["spec"]["parallelism"], j["template"]["spec"]["completions"]) for j in (node, aux)] == [
        (1, 1),
        (3, 3),
    ]
    assert node["template"]["spec"]["backoffLimit"] == 7


def test_metadata_of_the_job_set() -> None:
    labels = {"labels": {"l": "patch"}, "annotations": {"a": "patch"}}
    job = train_job({}, runtimePatches=[patch(metadata=labels)])
    job["metadata"]["labels"] = {"own": "stays"}
    built = build(job, runtime(metadata={"labels": {"l": "runtime", "r": "1"}}))
    assert built["metadata"]["labels"] == {"l": "patch", "r": "1"}
    assert built["metadata"]["annotations"] == {"a": "patch"}


def test_rest_of_the_job_set_passes_through() -> None:
    fields: dict[str, Any] = {
        "network": {"subdomain": "sub"},
        "failurePolicy": {"maxRestarts": 2},
        "ttlSecondsAfterFinished": 5,
    }
    spec = build(train_job({}, suspend=True), runtime(**fields))["spec"]
    assert {field: spec[field] for field in fields} == fields
    assert spec["suspend"] is True


def test_runtime_without_jobs_makes_no_job_set() -> None:
    rt = runtime()
    rt["spec"]["template"] = {"metadata": {}}
    with pytest.raises(BuildError, match='TrainingRuntime "rt" has no replicatedJobs'):
        build(train_job({}), rt)


@pytest.mark.parametrize(
    ("suspend", "existing", "due"),
    [
        (False, None, True),
        (True, None, True),
        (False, False, False),
        (False, True, True),
        (True, False, True),
        (True, True, True),
    ],
)
def test_when_it_is_applied(suspend: bool, existing: bool | None, due: bool) -> None:
    there = None if existing is None else {"spec": {"suspend": existing}}
    assert job_set.is_due(train_job({}, suspend=suspend), there) is due


def test_resumes_once_nothing_is_active() -> None:
    """Somebody has suspended the JobSet of a running TrainJob; its Jobs are on their way down."""
    there: Object = {"spec": {"suspend": True}, "status": {"replicatedJobsStatus": [{"name": "node", "active": 1}]}}
    assert not job_set.is_due(train_job({}), there)
    there["status"]["replicatedJobsStatus"][0]["active"] = 0
    assert job_set.is_due(train_job({}), there)


def test_claim_policies_say_what_their_default_is() -> None:
    """Else a later apply would change an immutable list, and the job could never be resumed."""
    plain, kept = {"templates": []}, {"templates": [], "retentionPolicy": {"whenDeleted": "Retain"}}
    spec = build(train_job({}), runtime(volumeClaimPolicies=[plain, kept]))["spec"]
    assert [policy["retentionPolicy"]["whenDeleted"] for policy in spec["volumeClaimPolicies"]] == ["Delete", "Retain"]
