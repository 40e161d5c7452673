import pytest

from sidings.node.restarting import is_restarted, restart_policy
from tests.node.pods import container, pod

ON_42 = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]
NOT_ON_42 = [{"action": "Restart", "exitCodes": {"operator": "NotIn", "values": [42]}}]


def test_a_containers_policy_comes_before_the_pods() -> None:
    assert restart_policy(pod(restartPolicy="Never"), container()) == "Never"
    assert restart_policy(pod(restartPolicy="Never"), container(restartPolicy="Always")) == "Always"
    assert restart_policy(pod(restartPolicy="Always"), container(restartPolicy="Never")) == "Never"


@pytest.mark.parametrize(
    ("fields", "code", "again"),
    [
        ({}, 1, False),
        ({"restartPolicy": "OnFailure"}, 1, True),
        ({"restartPolicy": "OnFailure"}, 0, False),
        ({"restartPolicy": "Never", "restartPolicyRules": ON_42}, 42, True),
        ({"restartPolicy": "Never", "restartPolicyRules": ON_42}, 1, False),
        ({"restartPolicy": "OnFailure", "restartPolicyRules": ON_42}, 1, True),
        ({"restartPolicy": "Never", "restartPolicyRules": NOT_ON_42}, 42, False),
        ({"restartPolicy": "Never", "restartPolicyRules": NOT_ON_42}, 0, True),
    ],
)
def test_rules_come_first_of_all(fields: dict[str, object], code: int, again: bool) -> None:
    assert is_restarted(pod(restartPolicy="Never"), container(**fields), code, failed=code != 0) is again


def test_who_failed_a_probe_has_failed_with_whatever_code() -> None:
    assert is_restarted(pod(restartPolicy="OnFailure"), container(), 0, failed=True)
