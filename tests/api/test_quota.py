import pytest

from sidings.api import quota
from sidings.api.resources import CLAIMS, PODS, SERVICES, TRAIN_JOBS


def pod(phase="Running", *, requests=None, limits=None, **spec):
    resources = {"requests": requests or {}, "limits": limits or {}}
    return {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "resources": resources}], **spec},
        "status": {"phase": phase},
    }


def of(hard, **spec):
    return {"metadata": {"name": "q"}, "spec": {"hard": hard, **spec}}


def test_what_is_used():
    objects = [
        (PODS, pod(requests={"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": "1"}, limits={"cpu": "2"})),
        (PODS, pod("Succeeded", requests={"cpu": "8"})),
        (SERVICES, {}),
        (CLAIMS, {"spec": {"resources": {"requests": {"storage": "5Gi"}}}}),
        (TRAIN_JOBS, {}),
    ]
    hard = {
        "pods": "9", "count/pods": "9", "cpu": "9", "requests.memory": "9Gi", "limits.cpu": "9",
        "requests.nvidia.com/gpu": "4", "services": "1", "requests.storage": "9Gi", "persistentvolumeclaims": "2",
        "count/trainjobs.trainer.kubeflow.org": "3",
    }  # fmt: skip
    assert quota.used(of(hard), objects) == {
        "pods": "1", "count/pods": "2", "cpu": "500m", "requests.memory": "1Gi", "limits.cpu": "2",
        "requests.nvidia.com/gpu": "1", "services": "1", "requests.storage": "5Gi", "persistentvolumeclaims": "1",
        "count/trainjobs.trainer.kubeflow.org": "1",
    }  # fmt: skip


def test_what_is_too_much_is_told_with_numbers():
    wanted = pod(requests={"cpu": "3"})
    assert quota.complaint(of({"pods": "1"}), PODS, wanted, {"pods": "1"}) == (
        "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"
    )
    assert quota.complaint(of({"cpu": "4", "pods": "1"}), PODS, wanted, {"cpu": "2", "pods": "1"}) == (
        "exceeded quota: q, requested: cpu=3,pods=1, used: cpu=2,pods=1, limited: cpu=4,pods=1"
    )
    assert quota.complaint(of({"cpu": "4"}), PODS, wanted, {"cpu": "1"}) == ""


def test_what_is_limited_must_be_said():
    assert quota.complaint(of({"limits.cpu": "4", "requests.memory": "1Gi"}), PODS, pod(), {}) == (
        "failed quota: q: must specify limits.cpu for: c; requests.memory for: c"
    )


HIGH = {"scopeName": "PriorityClass", "operator": "In", "values": ["h"]}


@pytest.mark.parametrize(
    ("spec", "taken"),
    [
        ({"scopes": ["BestEffort"]}, True),
        ({"scopes": ["NotBestEffort"]}, False),
        ({"scopes": ["Terminating"]}, False),
        ({"scopes": ["NotTerminating", "BestEffort"]}, True),
        ({"scopeSelector": {"matchExpressions": [HIGH]}}, True),
        ({"scopeSelector": {"matchExpressions": [{**HIGH, "operator": "NotIn"}]}}, False),
        ({"scopeSelector": {"matchExpressions": [{**HIGH, "operator": "DoesNotExist"}]}}, False),
    ],
)
def test_scopes_choose_pods(spec, taken):
    assert quota.matches(of({}, **spec), PODS, pod(priorityClassName="h")) is taken
    assert not quota.matches(of({}, **spec), SERVICES, {})
