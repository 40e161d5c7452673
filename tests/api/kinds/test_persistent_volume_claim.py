from datetime import UTC, datetime

import pytest

from sidings.api import table
from sidings.api.kinds.persistent_volume_claim import KIND
from sidings.api.objects import copy_of

RULES = KIND.rules


def created(**spec):
    claim = {
        "metadata": {"name": "c", "creationTimestamp": "2026-11-30T00:00:00Z"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec},
    }
    RULES.default(claim)
    RULES.default_on_create(claim)
    return claim


def test_a_new_claim_is_pending_and_protected():
    claim = created()
    assert claim["spec"]["volumeMode"] == "Filesystem"
    assert claim["status"] == {"phase": "Pending"}
    assert claim["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert RULES.validate(claim) == []


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"accessModes": []}, "spec.accessModes: Required value: at least 1 access mode is required"),
        ({"resources": {}}, "spec.resources[storage]: Required value"),
    ],
)
def test_rules(spec, text):
    assert [str(error) for error in RULES.validate(created(**spec))] == [text]


def test_only_binding_may_change_the_spec():
    old = created()
    bound = copy_of(old)
    bound["spec"]["volumeName"] = "v"
    assert RULES.validate_update(bound, old) == []
    larger = copy_of(bound)
    larger["spec"]["resources"]["requests"]["storage"] = "2Gi"
    assert RULES.validate_update(larger, bound) == []
    other = copy_of(old)
    other["spec"]["accessModes"] = ["ReadOnlyMany"]
    (error,) = RULES.validate_update(other, old)
    assert str(error).startswith("spec: Forbidden: spec is immutable after creation except resources.requests")


def test_columns():
    now = datetime(2026, 11, 30, 0, 0, 34, tzinfo=UTC)
    claim = created()
    assert table.cells(KIND, claim, now) == ["c", "Pending", "", "", "", "", "<unset>", "34s", "Filesystem"]
    claim["spec"]["volumeName"] = "v"
    claim["status"] = {
        "phase": "Bound",
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
    }
    assert table.cells(KIND, claim, now)[:5] == ["c", "Bound", "v", "1Gi", "RWO,RWX"]


def test_size_mode_and_class():
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "0"}},
        "volumeMode": "Tape",
        "storageClassName": "A_b",
    }
    size, mode, name = (str(error) for error in KIND.rules.validate({"spec": spec}))
    assert size == 'spec.resources[storage]: Invalid value: "0": must be greater than zero'
    assert mode == 'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'
    assert name.startswith('spec.storageClassName: Invalid value: "A_b": a lowercase RFC 1123 subdomain')
