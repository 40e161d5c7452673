import random
from datetime import UTC, datetime

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.clock import SystemClock
from sidings.registry.registry import Registry
from sidings.server import reviews
from sidings.server.auth import ADMIN, User
from sidings.server.authorization import Authorizer
from sidings.store.store import Store

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN = User("ann", "7", ("team", "system:authenticated"))


@pytest.fixture
def authorizer() -> Authorizer:
    return Authorizer(Registry(Store.in_memory(), catalog.builtin(), SystemClock(), random.Random(1)))


@pytest.mark.parametrize(("user", "allowed"), [(ADMIN, True), (ANN, False)])
def test_may_i(authorizer: Authorizer, user: User, allowed: bool) -> None:
    spec = {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}
    assert reviews.answer(reviews.ACCESS, {"spec": spec}, user, authorizer, NOW) == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": spec,
        "status": {"allowed": allowed},
    }


@pytest.mark.parametrize(("path", "allowed"), [("/apis/batch", True), ("/metrics", False)])
def test_may_i_see_a_path(authorizer: Authorizer, path: str, allowed: bool) -> None:
    spec = {"nonResourceAttributes": {"verb": "get", "path": path}}
    assert reviews.answer(reviews.ACCESS, {"spec": spec}, ANN, authorizer, NOW)["status"] == {"allowed": allowed}


def test_what_may_i(authorizer: Authorizer) -> None:
    review: Object = {"spec": {"namespace": "n"}}
    status = reviews.answer(reviews.RULES, review, ADMIN, authorizer, NOW)["status"]
    assert status["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    assert status["incomplete"] is False
    mine = reviews.answer(reviews.RULES, review, ANN, authorizer, NOW)["status"]
    assert [rule["verbs"] for rule in mine["resourceRules"]] == [["create"]]


def test_who_am_i(authorizer: Authorizer) -> None:
    answer = reviews.answer(reviews.SELF, {}, ANN, authorizer, NOW)
    assert answer["metadata"] == {"creationTimestamp": "2026-11-30T12:00:00Z"}
    assert answer["status"] == {"userInfo": {"username": "ann", "uid": "7", "groups": ["team", "system:authenticated"]}}
