"""What manifests bring counts as there: in the version that answers read, in place of what is called the same."""

from __future__ import annotations

from datetime import UTC, datetime

from sidings.answers.surroundings import Surroundings
from sidings.api import conditions
from sidings.api.objects import Object
from sidings.cli import coming


def around(**objects: list[Object]) -> Surroundings:
    return Surroundings(datetime(2026, 1, 1, tzinfo=UTC), objects)


def obj(kind: str, name: str, namespace: str = "", version: str = "v1", **fields: object) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def test_what_pods_refer_to_counts_as_there() -> None:
    before = around(Secret=[])
    given = [
        obj("Namespace", "team"),
        obj("Secret", "here"),
        obj("ConfigMap", "there", "other"),
        obj("Job", "j", version="batch/v1"),
    ]
    known = coming.added(before, given, "team")
    assert known.find("Secret", "here", "team")
    assert known.find("ConfigMap", "there", "other")
    assert known.find("Namespace", "team")
    assert known.of_kind("Job") == []
    assert before.of_kind("Secret") == []


def test_a_queue_of_the_older_version_is_read_as_the_newer() -> None:
    old = obj("ClusterQueue", "cq", version="kueue.x-k8s.io/v1beta1", spec={"cohort": "lab"})
    [queue] = coming.added(around(), [old], "team").of_kind("ClusterQueue")
    assert queue["spec"] == {"cohortName": "lab"}


def test_what_is_called_the_same_is_replaced() -> None:
    before = around(LocalQueue=[obj("LocalQueue", "lq", "team", spec={"clusterQueue": "old"})])
    new = obj("LocalQueue", "lq", version="kueue.x-k8s.io/v1beta2", spec={"clusterQueue": "new"})
    [queue] = coming.added(before, [new], "team").of_kind("LocalQueue")
    assert queue["spec"]["clusterQueue"] == "new"


def test_a_check_that_comes_along_is_taken_to_work() -> None:
    new = obj("AdmissionCheck", "prov", version="kueue.x-k8s.io/v1beta2", spec={})
    [check] = coming.added(around(), [new], "team").of_kind("AdmissionCheck")
    assert conditions.is_true(check, "Active")


def test_the_runtime_of_a_train_job_is_found_by_kind_and_name() -> None:
    given = [obj("TrainingRuntime", "mine"), obj("ClusterTrainingRuntime", "mine")]
    job = obj("TrainJob", "t", spec={"runtimeRef": {"name": "mine"}})
    assert coming.runtime_of(job, given) == given[1]
    named = obj("TrainJob", "t", spec={"runtimeRef": {"name": "mine", "kind": "TrainingRuntime"}})
    assert coming.runtime_of(named, given) == given[0]
    assert coming.runtime_of(obj("Job", "j", spec={}), given) is None
