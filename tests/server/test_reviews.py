import random
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import Resource
from sidings.api.status import Invalid
from sidings.clock import SystemClock
from sidings.registry.registry import Registry
from sidings.server import reviews
from sidings.server.auth import ADMIN, User
from sidings.server.authorization import Authorizer
from sidings.server.reviews import Reviews
from sidings.server.service_account_tokens import ServiceAccountTokens
from sidings.store.store import Store

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
Answer = Callable[..., Object]
ANN = User("ann", "7", ("team", "system:authenticated"))


@pytest.fixture
def answer() -> Callable[..., Object]:
    registry, rng = Registry(Store.in_memory(), catalog.builtin(), SystemClock(), random.Random(1)), random.Random(2)
    tokens = ServiceAccountTokens(registry, SystemClock(), rng)
    made = Reviews(Authorizer(registry), tokens)
    return lambda resource, review, user=ADMIN, namespace="": made.answer(resource, review, namespace, user, NOW)


@pytest.mark.parametrize(("user", "allowed"), [(ADMIN, True), (ANN, False)])
def test_may_i(answer: Answer, user: User, allowed: bool) -> None:
    spec = {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}
    assert answer(reviews.ACCESS, {"spec": spec}, user) == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": spec,
        "status": {"allowed": allowed},
    }


@pytest.mark.parametrize(("path", "allowed"), [("/apis/batch", True), ("/metrics", False)])
def test_may_i_see_a_path(answer: Answer, path: str, allowed: bool) -> None:
    spec = {"nonResourceAttributes": {"verb": "get", "path": path}}
    assert answer(reviews.ACCESS, {"spec": spec}, ANN)["status"] == {"allowed": allowed}


def test_what_may_i(answer: Answer) -> None:
    review: Object = {"spec": {"namespace": "n"}}
    status = answer(reviews.RULES, review, ADMIN)["status"]
    assert status["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    assert status["incomplete"] is False
    mine = answer(reviews.RULES, review, ANN)["status"]
    assert [rule["verbs"] for rule in mine["resourceRules"]] == [["create"], ["get"]], (
        "reviews of themselves, and the user ~"
    )


def test_who_am_i(answer: Answer) -> None:
    told = answer(reviews.SELF, {}, ANN)
    assert told["metadata"] == {"creationTimestamp": "2026-11-30T12:00:00Z"}
    assert told["status"] == {"userInfo": {"username": "ann", "uid": "7", "groups": ["team", "system:authenticated"]}}


@pytest.mark.parametrize(("spec", "allowed"), [({"user": "ann"}, False), ({"groups": ["system:masters"]}, True)])
def test_may_somebody_else(answer: Answer, spec: Object, allowed: bool) -> None:
    asked = {"verb": "get", "resource": "pods", "namespace": "n"}
    for resource in (reviews.SUBJECT_ACCESS, reviews.LOCAL_ACCESS):
        review = {"spec": {**spec, "resourceAttributes": asked}}
        assert answer(resource, review, namespace="n")["status"] == {"allowed": allowed}


@pytest.mark.parametrize(
    ("resource", "spec", "message"),
    [
        (reviews.ACCESS, {}, "exactly one of nonResourceAttributes or resourceAttributes must be specified"),
        (
            reviews.ACCESS,
            {"resourceAttributes": {}, "nonResourceAttributes": {}},
            "cannot be specified in combination with resourceAttributes",
        ),
        (reviews.SUBJECT_ACCESS, {"resourceAttributes": {}}, "at least one of user or group must be specified"),
        (
            reviews.LOCAL_ACCESS,
            {"user": "a", "resourceAttributes": {"namespace": "x"}},
            "must match metadata.namespace",
        ),
        (reviews.TOKEN, {}, "spec.token: Required value: token is required for TokenReview in authentication"),
    ],
)
def test_reviews_that_ask_nothing_clear(answer: Answer, resource: Resource, spec: Object, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        answer(resource, {"spec": spec}, namespace="n")
    assert message in caught.value.message
