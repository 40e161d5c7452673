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


def test_taints_need_a_key_and_a_known_effect():
    errors = KIND.rules.validate({"spec": {"taints": [{"effect": "No"}]}})
    assert [error.field for error in errors] == ["spec.taints[0].key", "spec.taints[0].effect"]
