from datetime import UTC, datetime

from sidings.server import reviews
from sidings.server.auth import User

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN = User("ann", "7", ("team", "system:authenticated"))


def test_may_i() -> None:
    spec = {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}
    assert reviews.answer(reviews.ACCESS, {"spec": spec}, ANN, NOW) == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": spec,
        "status": {"allowed": True},
    }


def test_what_may_i() -> None:
    status = reviews.answer(reviews.RULES, {"spec": {"namespace": "n"}}, ANN, NOW)["status"]
    assert status["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    assert status["incomplete"] is False


def test_who_am_i() -> None:
    answer = reviews.answer(reviews.SELF, {}, ANN, NOW)
    assert answer["metadata"] == {"creationTimestamp": "2026-11-30T12:00:00Z"}
    assert answer["status"] == {"userInfo": {"username": "ann", "uid": "7", "groups": ["team", "system:authenticated"]}}
