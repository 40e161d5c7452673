from typing import Any

import pytest

from sidings.api.kinds.pod_spec.restarting import validate

CODES = {"operator": "In", "values": [42]}


def _rule(**fields: Any) -> dict[str, Any]:
    return {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart", "exitCodes": CODES} | fields]}


def test_rules_with_a_policy_are_fine() -> None:
    assert validate(_rule(), "c") == validate({}, "c") == []


@pytest.mark.parametrize(
    ("container", "field", "detail"),
    [
        ({"restartPolicy": "Sometimes"}, "c.restartPolicy", 'supported values: "Always", "Never", "OnFailure"'),
        (_rule() | {"restartPolicy": None}, "c.restartPolicy", "must specify restartPolicy when restart rules are"),
        (_rule(action="Stop"), "c.restartPolicyRules[0].action", 'supported values: "Restart"'),
        (_rule(exitCodes=None), "c.restartPolicyRules[0].exitCodes", "must be specified"),
        (_rule(exitCodes={"operator": "Is"}), "c.restartPolicyRules[0].exitCodes.operator", '"In", "NotIn"'),
        (
            _rule(exitCodes={"operator": "In", "values": list(range(256))}), "c.restartPolicyRules[0].exitCodes.values",
            "must have at most 255 items",
        ),
        (
            {"restartPolicy": "Never", "restartPolicyRules": 21 * [{"action": "Restart", "exitCodes": CODES}]},
            "c.restartPolicyRules", "must have at most 20 items",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(container: dict[str, Any], field: str, detail: str) -> None:
    [error] = validate(container, "c")
    assert error.field == field
    assert detail in error.text
