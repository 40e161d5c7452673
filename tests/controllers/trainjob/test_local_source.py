"""A path of this machine as the source of an initializer."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import job_set
from tests.trainjobs import initializer_job, runtime, train_job, trainer_job


def initializer_of(uri: str, **fields: object) -> tuple[Object, Object]:
    """Pod spec and container of the dataset initializer."""
    made = runtime(initializer_job("dataset-initializer", **fields), trainer_job())
    initializer = {"dataset": {"storageUri": uri}} if uri else None
    spec = {"initializer": initializer} if initializer else {}
    built = job_set.build(train_job({}, **spec), made).job_set
    pod_spec: Object = built["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return pod_spec, pod_spec["containers"][0]


@pytest.mark.parametrize(("uri", "name"), [("file:///data/fraud", "fraud"), ("file://localhost/data/a%20b", "a b")])
def test_the_folder_around_it_is_mounted(uri: str, name: str) -> None:
    pod_spec, container = initializer_of(uri)
    assert pod_spec["volumes"] == [{"name": "initializer-source", "hostPath": {"path": "/data", "type": "Directory"}}]
    mount = {"name": "initializer-source", "mountPath": "/mnt/initializer-source", "readOnly": True}
    assert container["volumeMounts"][-1] == mount
    assert container["env"][-1] == {"name": "SOURCE_PATH", "value": f"/mnt/initializer-source/{name}"}


def test_a_runtime_may_name_it() -> None:
    pod_spec, _ = initializer_of("", env=[{"name": "STORAGE_URI", "value": "file:///data/x"}])
    assert pod_spec["volumes"][0]["hostPath"]["path"] == "/data"


@pytest.mark.parametrize("uri", ["hf://a/b", "s3://bucket/x", "file://other/data", "file:///"])
def test_anything_else_is_left_alone(uri: str) -> None:
    pod_spec, container = initializer_of(uri)
    assert "volumes" not in pod_spec
    assert [item["name"] for item in container["env"]] == ["STORAGE_URI"]
