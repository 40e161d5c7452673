"""The columns of the kinds that have no rules of their own, as the API server prints them."""

from datetime import UTC, datetime

import pytest

from sidings.api import catalog, table
from sidings.api.kinds import columns, endpoints, persistent_volume, priority_class, resource_quota

NOW = datetime(2026, 11, 30, 0, 0, 34, tzinfo=UTC)


@pytest.mark.parametrize(
    ("plural", "names"),
    [
        ("namespaces", ["Name", "Status", "Age"]),
        ("secrets", ["Name", "Type", "Data", "Age"]),
        ("services", ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector"]),
        ("serviceaccounts", ["Name", "Age"]),
        ("resourcequotas", ["Name", "Request", "Limit", "Age"]),
        (
            "persistentvolumeclaims",
            [
                "Name",
                "Status",
                "Volume",
                "Capacity",
                "Access Modes",
                "StorageClass",
                "VolumeAttributesClass",
                "Age",
                "VolumeMode",
            ],
        ),
        ("jobs", ["Name", "Status", "Completions", "Duration", "Age", "Containers", "Images", "Selector"]),
        ("jobsets", ["Name", "TerminalState", "Restarts", "Completed", "Suspended", "Age"]),
        ("trainjobs", ["Name", "State", "Age"]),
        ("customresourcedefinitions", ["Name", "Created At"]),
        ("priorityclasses", ["Name", "Value", "Global-Default", "Age", "PreemptionPolicy"]),
    ],
)
def test_names_and_order(plural, names):
    kind = catalog.builtin().by_word(plural)
    assert kind is not None
    assert [column.name for column in kind.columns] == names


def cells(kind, obj):
    """The row of ``obj`` without its name."""
    obj.setdefault("metadata", {"name": "x", "creationTimestamp": "2026-11-30T00:00:00Z"})
    return table.cells(kind, obj, NOW)[1:]


def test_endpoints():
    ports = [{"port": 1}, {"port": 2}]
    obj = {"subsets": [{"addresses": [{"ip": "a"}, {"ip": "b"}], "ports": ports}]}
    assert cells(endpoints.KIND, obj) == ["a:1,b:1,a:2 + 1 more...", "34s"]
    assert cells(endpoints.KIND, {}) == ["<none>", "34s"]


def test_resource_quota():
    status = {"hard": {"limits.cpu": "2", "pods": "4", "requests.cpu": "1"}, "used": {"pods": "1"}}
    assert cells(resource_quota.KIND, {"status": status}) == ["pods: 1/4, requests.cpu: 0/1", "limits.cpu: 0/2", "34s"]


def test_persistent_volume():
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "claimRef": {"namespace": "n", "name": "c"},
    }
    obj = {"metadata": {"name": "v", "creationTimestamp": "2026-11-30T00:00:00Z"}, "spec": spec}
    persistent_volume.KIND.rules.default(obj)
    assert cells(persistent_volume.KIND, obj) == [
        "1Gi",
        "RWO",
        "Retain",
        "Pending",
        "n/c",
        "",
        "<unset>",
        "",
        "34s",
        "Filesystem",
    ]
    assert persistent_volume.KIND.rules.validate(obj) == []


def test_priority_class():
    rules = priority_class.KIND.rules
    obj = {"metadata": {"name": "high"}, "value": 1_000_000_001}
    rules.default(obj)
    assert obj["preemptionPolicy"] == "PreemptLowerPriority"
    assert [error.field for error in rules.validate(obj)] == ["value"]
    assert [error.field for error in rules.validate_update({**obj, "value": 1}, obj)] == ["value"]


def test_selector_text():
    assert columns.selector_text({"b": "2", "a": "1"}) == "a=1,b=2"
    assert columns.selector_text({}) == "<none>"
