"""What the API refuses of jobs of ``kubeflow.org/v1`` (Training Operator 1.9.4), against a real registry."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.resources import JAX_JOBS, MPI_JOBS, PYTORCH_JOBS, TF_JOBS, XGBOOST_JOBS, Resource
from sidings.api.status import Forbidden, Invalid
from tests.registry.conftest import Api

NAMES = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def pods(container: str = "pytorch", image: str = "img", **fields: Any) -> Object:
    return {"replicas": 1, **fields, "template": {"spec": {"containers": [{"name": container, "image": image}]}}}


def job(resource: Resource, field: str, roles: Object, name: str = "j", **spec: Any) -> Object:
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": resource.kind,
        "metadata": {"name": name},
        "spec": {field: roles, **spec},
    }


def torch(name: str = "j", *, elastic: Object | None = None, roles: Object | None = None, **spec: Any) -> Object:
    extra = {} if elastic is None else {"elasticPolicy": elastic}
    return job(PYTORCH_JOBS, "pytorchReplicaSpecs", roles or {"Master": pods()}, name, **extra, **spec)


AT = "spec.pytorchReplicaSpecs"

REFUSED = {
    "22 name": (torch("0-test"), f'metadata.name: Invalid value: "0-test": should match: {NAMES}'),
    "23 no containers": (
        torch(roles={"Worker": {"template": {"spec": {"containers": []}}}}),
        f"[{AT}[Worker].template.spec.containers: Required value: must be specified, "
        f"{AT}[Worker].template.spec.containers: Required value: must have at least one container with name pytorch]",
    ),
    "24 image": (
        torch(roles={"Worker": pods(image="")}),
        f"{AT}[Worker].template.spec.containers[0].image: Required value: must be required",
    ),
    "25 container name": (
        torch(roles={"Worker": pods("other")}),
        f"{AT}[Worker].template.spec.containers: Required value: must have at least one container with name pytorch",
    ),
    "26 two masters": (torch(roles={"Master": pods(replicas=2)}), f"{AT}[Master].replicas: Forbidden: must be 1"),
    "no count of masters": (
        torch(roles={"Master": pods(replicas=None)}),
        f"{AT}[Master].replicas: Forbidden: must be 1",
    ),
    "unknown role": (
        torch(roles={"master": pods()}),
        f'{AT}[master]: Unsupported value: "master": supported values: "Master", "Worker"',
    ),
    "28 both counts of processes": (
        torch(roles={"Worker": pods()}, elastic={"nProcPerNode": 1}, nprocPerNode="1"),
        "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode",
    ),
    "29 manager": (
        torch(runPolicy={"managedBy": "other-job-controller"}),
        'spec.runPolicy.managedBy: Unsupported value: "other-job-controller": supported values: '
        '"kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"',
    ),
    "31 elastic without workers": (
        torch(elastic={}),
        f"{AT}[Worker]: Required value: must be configured if elastic policy is used",
    ),
    "32 no workers": (
        torch(roles={"Worker": pods(replicas=0)}),
        f"{AT}[Worker].replicas: Forbidden: must be at least 1",
    ),
    "xgboost without master": (
        job(XGBOOST_JOBS, "xgbReplicaSpecs", {"Worker": pods("xgboost")}),
        "spec.xgbReplicaSpecs[Master]: Required value: must be present",
    ),
    "tensorflow with two leaders": (
        job(TF_JOBS, "tfReplicaSpecs", {"Chief": pods("tensorflow"), "Master": pods("tensorflow")}),
        "spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master role",
    ),
}


async def create(api: Api, obj: Object) -> Object:
    resource = next(r for r in (PYTORCH_JOBS, TF_JOBS, MPI_JOBS, XGBOOST_JOBS, JAX_JOBS) if r.kind == obj["kind"])
    return await api.create(resource, obj)


@pytest.mark.parametrize(("obj", "reason"), REFUSED.values(), ids=REFUSED)
async def test_refused(api: Api, obj: Object, reason: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        await create(api, obj)
    webhook = f"validator.{obj['kind'].lower()}.training-operator.kubeflow.org"
    assert refusal.value.message == f'admission webhook "{webhook}" denied the request: {reason}'


async def test_case_27_the_old_field_for_processes_is_accepted_with_a_warning(api: Api) -> None:
    await create(api, torch(roles={"Worker": pods()}, elastic={"nProcPerNode": 1}))
    assert api.warnings == ["spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"]


async def test_case_30_the_manager_stays(api: Api) -> None:
    await create(api, torch(runPolicy={"managedBy": "kubeflow.org/training-operator"}))
    with pytest.raises(Forbidden, match=r'runPolicy.managedBy: Invalid value: "kueue.*": field is immutable$'):
        await api.patch(PYTORCH_JOBS, "j", {"spec": {"runPolicy": {"managedBy": "kueue.x-k8s.io/multikueue"}}})


async def test_case_3_the_queue_stays(api: Api) -> None:
    await create(api, torch(runPolicy={"schedulingPolicy": {"queue": "a"}}))
    with pytest.raises(Invalid, match=r"spec\.runPolicy\.schedulingPolicy\.queue is immutable$"):
        await api.patch(PYTORCH_JOBS, "j", {"spec": {"runPolicy": {"schedulingPolicy": {"queue": "b"}}}})


async def test_only_suspend_is_defaulted_in_what_is_stored(api: Api) -> None:
    stored = await create(api, torch())
    assert stored["spec"]["runPolicy"] == {"suspend": False}
    assert stored["spec"]["pytorchReplicaSpecs"] == {"Master": pods()}


async def test_the_roles_are_required(api: Api) -> None:
    with pytest.raises(Invalid, match=r"spec\.pytorchReplicaSpecs: Required value"):
        await create(api, {**torch(), "spec": {}})


async def test_mpi_jobs_are_stored_as_they_are(api: Api) -> None:
    stored = await create(api, job(MPI_JOBS, "mpiReplicaSpecs", {"Worker": pods("other")}))
    assert stored["spec"]["mpiReplicaSpecs"] == {"Worker": pods("other")}


async def test_workers_can_be_scaled(api: Api) -> None:
    await create(api, torch(roles={"Master": pods(), "Worker": pods()}))
    await api.patch(PYTORCH_JOBS, "j", {"spec": {"replicas": 3}}, subresource="scale")
    assert api.get(PYTORCH_JOBS, "j")["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 3
