"""Options from a query: read as kube-apiserver reads them, refused in its words."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api import options
from sidings.api.options import DeleteOptions, WriteOptions
from sidings.api.status import Invalid


class Query:
    def __init__(self, **values: str) -> None:
        self._values = values

    def text(self, name: str) -> str:
        return self._values.get(name, "")

    def flag(self, name: str) -> bool:
        return self.text(name) not in ("", "0", "false")

    def integer(self, name: str) -> int | None:
        return int(self.text(name)) if self.text(name) else None


def create(**values: str) -> WriteOptions:
    return options.for_create(Query(**values), user_agent="kubectl/v1.37.1 (linux)", warn=options.no_warnings)


def patch(*, apply: bool, **values: str) -> WriteOptions:
    return options.for_patch(Query(**values), apply=apply, user_agent="k/1", warn=options.no_warnings)


def delete(body: Any = None, **values: str) -> DeleteOptions:
    return options.for_delete(Query(**values), body, warn=options.no_warnings)


def test_a_client_that_names_no_manager_is_known_by_its_user_agent() -> None:
    assert create().field_manager == "kubectl"
    assert create(fieldManager="m").field_manager == "m"
    assert options.manager_of("x" * 200) == "x" * 128


def test_defaults() -> None:
    assert (create().field_validation, create().dry_run) == ("Warn", False)
    assert create(dryRun="All", fieldValidation="Strict").dry_run


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"fieldValidation": "Bogus"},
            'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Bogus": supported values: '
            '"", "Ignore", "Strict", "Warn"',
        ),
        (
            {"dryRun": "Some"},
            'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
        ),
        (
            {"fieldManager": "m" * 129},
            'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
        ),
        (
            {"fieldManager": "a\nb"},
            'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\nb": should only contain '
            "printable characters",
        ),
    ],
)
def test_bad_create_options(values: dict[str, str], message: str) -> None:
    with pytest.raises(Invalid) as caught:
        create(**values)
    assert caught.value.message == message


def test_apply_needs_a_manager_and_only_apply_has_force() -> None:
    with pytest.raises(Invalid, match="fieldManager: Required value: is required for apply patch"):
        patch(apply=True)
    with pytest.raises(Invalid, match="force: Forbidden: may not be specified for non-apply patch"):
        patch(apply=False, force="true")
    assert patch(apply=True, fieldManager="m", force="true").force


def test_a_delete_reads_its_body_or_its_query_never_both() -> None:
    assert delete(gracePeriodSeconds="5", propagationPolicy="Orphan", dryRun="All") == DeleteOptions(
        grace_period_seconds=5, propagation_policy="Orphan", dry_run=True
    )
    body = {"propagationPolicy": "Background", "preconditions": {"uid": "u", "resourceVersion": "3"}}
    assert delete(body, dryRun="All") == DeleteOptions(propagation_policy="Background", uid="u", resource_version="3")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"propagationPolicy": "Sideways"},
            'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", '
            '"nil"',
        ),
        (
            {"propagationPolicy": "Orphan", "orphanDependents": True},
            'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
        ),
    ],
)
def test_bad_delete_options(body: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid) as caught:
        delete(body)
    assert caught.value.message == f'DeleteOptions.meta.k8s.io "" is invalid: {message}'


@pytest.mark.parametrize(
    ("watch", "values", "message"),
    [
        (
            False,
            {"resourceVersion": "1", "resourceVersionMatch": "Zz"},
            'resourceVersionMatch: Unsupported value: "Zz": supported values: "Exact", "NotOlderThan", ""',
        ),
        (
            False,
            {"resourceVersionMatch": "Exact"},
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            False,
            {"resourceVersionMatch": "Exact", "resourceVersion": "0"},
            'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
        (False, {"sendInitialEvents": "true"}, "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"),
        (
            True,
            {"sendInitialEvents": "true"},
            "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
        (
            True,
            {"resourceVersionMatch": "NotOlderThan"},
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
            "provided",
        ),
    ],
)
def test_bad_list_options(watch: bool, values: dict[str, str], message: str) -> None:
    with pytest.raises(Invalid) as caught:
        options.for_list(Query(**values), watch=watch)
    assert caught.value.message == f'ListOptions.meta.k8s.io "" is invalid: {message}'


def test_initial_events_are_asked_for_declined_or_left_open() -> None:
    match = {"resourceVersionMatch": "NotOlderThan"}
    assert options.for_list(Query(sendInitialEvents="true", **match), watch=True).send_initial_events is True
    assert options.for_list(Query(sendInitialEvents="false", **match), watch=True).send_initial_events is False
    assert options.for_list(Query(), watch=True).send_initial_events is None
