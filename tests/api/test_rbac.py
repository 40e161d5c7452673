import pytest

from sidings.api import rbac
from sidings.api.rbac import Attributes

READ_PODS = {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "pods/log"]}


@pytest.mark.parametrize(
    ("rule", "wanted", "allowed"),
    [
        (READ_PODS, Attributes("get", "", "pods"), True),
        (READ_PODS, Attributes("delete", "", "pods"), False),
        (READ_PODS, Attributes("get", "batch", "pods"), False),
        (READ_PODS, Attributes("get", "", "pods", "log"), True),
        (READ_PODS, Attributes("get", "", "pods", "exec"), False),
        ({**READ_PODS, "resources": ["*"]}, Attributes("get", "", "pods", "exec"), True),
        ({**READ_PODS, "resources": ["*/status"]}, Attributes("get", "", "pods", "status"), True),
        ({**READ_PODS, "resources": ["*/status"]}, Attributes("get", "", "pods"), False),
        ({**READ_PODS, "resourceNames": ["a"]}, Attributes("get", "", "pods", "", "n", "a"), True),
        ({**READ_PODS, "resourceNames": ["a"]}, Attributes("list", "", "pods", "", "n"), False),
        ({"verbs": ["*"], "nonResourceURLs": ["/healthz", "/apis/*"]}, Attributes("get", path="/apis/batch"), True),
        ({"verbs": ["*"], "nonResourceURLs": ["/healthz"]}, Attributes("get", path="/metrics"), False),
        ({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, Attributes("get", path="/metrics"), False),
    ],
)
def test_rules(rule, wanted, allowed):
    assert rbac.allows([rule], wanted) is allowed


@pytest.mark.parametrize(
    ("subject", "is_it"),
    [
        ({"kind": "ServiceAccount", "name": "sa"}, True),
        ({"kind": "ServiceAccount", "name": "sa", "namespace": "other"}, False),
        ({"kind": "User", "name": "system:serviceaccount:n:sa"}, True),
        ({"kind": "Group", "name": "system:serviceaccounts"}, True),
        ({"kind": "Group", "name": "system:masters"}, False),
    ],
)
def test_subjects(subject, is_it):
    groups = ["system:serviceaccounts"]
    assert rbac.is_subject(subject, "system:serviceaccount:n:sa", groups, "n") is is_it


def test_refusals_are_worded_as_upstream_words_them():
    assert rbac.refusal(Attributes("list", "batch", "jobs", "", "n"), "u") == (
        'jobs.batch is forbidden: User "u" cannot list resource "jobs" in API group "batch" in the namespace "n"'
    )
    assert rbac.refusal(Attributes("get", "", "nodes", "", "", "a"), "u") == (
        'nodes "a" is forbidden: User "u" cannot get resource "nodes" in API group "" at the cluster scope'
    )
    assert rbac.refusal(Attributes("get", path="/metrics"), "u") == 'forbidden: User "u" cannot get path "/metrics"'
