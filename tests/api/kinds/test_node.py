from datetime import UTC, datetime

import pytest

from sidings.api.kinds.node import KIND

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def cell(node, name):
    (column,) = (column for column in KIND.columns if column.name == name)
    assert column.cell is not None
    return column.cell(node, NOW)


@pytest.mark.parametrize(
    ("node", "word"),
    [
        ({}, "Unknown"),
        ({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "Ready"),
        ({"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}, "NotReady"),
        (
            {"spec": {"unschedulable": True}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}},
            "Ready,SchedulingDisabled",
        ),
    ],
)
def test_status(node, word):
    assert cell(node, "Status") == word


def test_roles_addresses_and_versions():
    node = {
        "metadata": {"labels": {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "gpu"}},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
            "nodeInfo": {"kubeletVersion": "v1", "osImage": "Debian"},
        },
    }
    assert cell(node, "Roles") == "gpu,worker"
    assert cell({"metadata": {}}, "Roles") == "<none>"
    assert cell(node, "Internal-IP") == "10.0.0.1"
    assert cell(node, "External-IP") == "<none>"
    assert cell(node, "OS-Image") == "Debian"
    assert cell(node, "Kernel-Version") == "<unknown>"
    assert cell(node, "Version") == "v1"


@pytest.mark.parametrize(
    ("taint", "field", "text"),
    [
        ({"key": "a b", "effect": "NoSchedule"}, "key", "name part must consist of"),
        ({"key": "a", "value": "x y", "effect": "NoSchedule"}, "value", "a valid label must be an empty string or"),
        ({"key": "a"}, "effect", "Required value"),
        ({"key": "a", "effect": "No"}, "effect", 'Unsupported value: "No"'),
    ],
)
def test_what_is_wrong_with_a_taint(taint, field, text):
    (error,) = KIND.rules.validate({"spec": {"taints": [taint]}})
    assert error.field == f"spec.taints[0].{field}"
    assert text in error.text


def test_a_taint_is_once_on_a_node():
    taints = [
        {"key": "a", "effect": effect, "value": value} for effect, value in (("NoExecute", "1"), ("NoSchedule", "1"))
    ]
    assert KIND.rules.validate({"spec": {"taints": taints}}) == []
    (error,) = KIND.rules.validate({"spec": {"taints": [*taints, {**taints[0], "value": "2"}]}})
    assert (error.field, error.reason) == ("spec.taints[2]", "FieldValueDuplicate")
    assert error.text.endswith("taints must be unique by key and effect pair")


def test_the_provider_of_a_node_stays():
    (error,) = KIND.rules.validate_update({"spec": {"providerID": "b"}}, {"spec": {"providerID": "a"}})
    assert str(error).startswith("spec.providerID: Forbidden")
    assert KIND.rules.validate_update({"spec": {"providerID": "b"}}, {"spec": {}}) == []
