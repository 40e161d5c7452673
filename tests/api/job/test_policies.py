from typing import Any

import pytest

from sidings.api.job import policies
from tests.api.job.jobs import stored


def failure_rule(**rule: Any) -> list[str]:
    job = stored(podFailurePolicy={"rules": [rule]}, completionMode="Indexed", completions=3)
    path = "spec.podFailurePolicy.rules[0]"
    return [str(error).removeprefix(path) for error in policies.pod_failure_policy(job["spec"])]


def codes(*values: int, operator: str = "In", **more: Any) -> dict[str, Any]:
    return {"operator": operator, "values": list(values), **more}


CONDITION = [{"type": "DisruptionTarget", "status": "True"}]


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ({"action": "FailJob", "onExitCodes": codes(1, 42)}, []),
        ({"action": "Ignore", "onPodConditions": CONDITION}, []),
        (
            {"action": "Boom", "onExitCodes": codes(1)},
            ['.action: Unsupported value: "Boom": supported values: "Count", "FailIndex", "FailJob", "Ignore"'],
        ),
        (
            {"action": "FailIndex", "onExitCodes": codes(1)},
            ['.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'],
        ),
        (
            {"action": "Count", "onExitCodes": codes()},
            [".onExitCodes.values: Invalid value: []: at least one value is required"],
        ),
        (
            {"action": "Count", "onExitCodes": codes(0)},
            [".onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator"],
        ),
        ({"action": "Count", "onExitCodes": codes(0, operator="NotIn")}, []),
        (
            {"action": "Count", "onExitCodes": codes(2, 1)},
            [".onExitCodes.values: Invalid value: [2,1]: must be ordered"],
        ),
        ({"action": "Count", "onExitCodes": codes(1, 1)}, [".onExitCodes.values[1]: Duplicate value: 1"]),
        (
            {"action": "Count", "onExitCodes": codes(1, containerName="x")},
            [
                '.onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names '
                "in the pod template"
            ],
        ),
        (
            {"action": "Count", "onExitCodes": codes(1, operator="Out")},
            ['.onExitCodes.operator: Unsupported value: "Out": supported values: "In", "NotIn"'],
        ),
    ],
)
def test_failure_rules(rule: dict[str, Any], found: list[str]) -> None:
    assert failure_rule(**rule) == found


def test_a_failure_rule_has_exactly_one_requirement() -> None:
    assert failure_rule(action="Count") == [
        ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required"
    ]
    assert failure_rule(action="Count", onExitCodes=codes(1), onPodConditions=CONDITION) == [
        ": Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"
    ]


def test_a_condition_has_a_qualified_name() -> None:
    unnamed = failure_rule(action="Count", onPodConditions=[{}])
    assert unnamed[0] == '.onPodConditions[0].type: Invalid value: "": name part must be non-empty'
    (wrong,) = failure_rule(action="Count", onPodConditions=[{"type": "a b"}])
    assert wrong.startswith('.onPodConditions[0].type: Invalid value: "a b": name part must consist of')


MANY_ZEROS = (
    f'[0].succeededIndexes: Invalid value: "{"0," * 40_000}1": error parsing succeededIndexes: '
    "non-increasing order, previous: 0, current: 0"
)


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ([{"succeededIndexes": "0-2"}], []),
        ([{"succeededCount": 3}], []),
        (
            [],
            [": Required value: at least one rules must be specified when the successPolicy is specified"],
        ),
        ([{}], ["[0]: Required value: at least one of succeededCount or succeededIndexes must be specified"]),
        (
            [{"succeededIndexes": "3"}],
            ['[0].succeededIndexes: Invalid value: "3": error parsing succeededIndexes: too large index: "3"'],
        ),
        (
            [{"succeededIndexes": "2,1-3", "succeededCount": 1}],
            [
                '[0].succeededIndexes: Invalid value: "2,1-3": error parsing succeededIndexes: too large index: "3"',
                "[0].succeededCount: Invalid value: 1: must be less than or equal to 0 (the number of indexes in the "
                "specified succeededIndexes field)",
            ],
        ),
        (
            [{"succeededIndexes": "0," * 40_000 + "1"}],
            ["[0].succeededIndexes: Too long: may not be more than 65536 bytes", MANY_ZEROS],
        ),
        (
            [{"succeededCount": 4}],
            [
                "[0].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified "
                "completions)"
            ],
        ),
        (
            [{"succeededIndexes": "0,1", "succeededCount": 3}],
            [
                "[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the "
                "specified succeededIndexes field)"
            ],
        ),
    ],
)
def test_success_rules(rules: list[dict[str, Any]], found: list[str]) -> None:
    job = stored(completionMode="Indexed", completions=3, successPolicy={"rules": rules})
    path = "spec.successPolicy.rules"
    assert [str(error).removeprefix(path) for error in policies.success_policy(job["spec"])] == found


def test_a_success_policy_needs_indexes() -> None:
    job = stored(successPolicy={"rules": [{"succeededCount": 1}]})
    (error,) = policies.success_policy(job["spec"])
    assert error.text.endswith("requires indexed completion mode")


def test_replacement_policy() -> None:
    assert list(policies.pod_replacement_policy(stored()["spec"])) == []
    (error,) = policies.pod_replacement_policy(stored(podReplacementPolicy="Never")["spec"])
    assert error.text == 'Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"'
    spec = stored(podFailurePolicy={"rules": []}, podReplacementPolicy="TerminatingOrFailed")["spec"]
    (error,) = policies.pod_replacement_policy(spec)
    assert error.text == 'Unsupported value: "TerminatingOrFailed": supported values: "Failed"'
