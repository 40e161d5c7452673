from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sidings.node.limits.enforcement import Enforcement
from sidings.node.limits.requirements import Requirements, groups, requirements
from tests.node.pods import container

V1 = Enforcement(1, {"cpu": Path("/cpu/s"), "memory": Path("/memory/s"), "pids": Path("/pids/s")})
V2 = Enforcement(2, dict.fromkeys(("cpu", "memory", "pids"), Path("/all/s")))


def _settings(wanted: Requirements, enforcement: Enforcement) -> dict[str, str]:
    return {name: value for group in groups(wanted, "c", enforcement) for name, value in group.settings}


def test_limits_and_requests_are_read_and_an_absent_request_is_the_limit() -> None:
    resources: dict[str, Any] = {"limits": {"cpu": "1500m", "memory": "1Gi"}}
    assert requirements(container(resources=resources)) == (Decimal("1.5"), Decimal("1.5"), 2**30)
    resources["requests"] = {"cpu": "250m"}
    assert requirements(container(resources=resources)).cpu_request == Decimal("0.25")
    assert requirements(container()) == (None, None, None)


def test_version_1_has_a_group_for_each_controller() -> None:
    made = groups(Requirements(Decimal(1), Decimal("0.5"), 2**20), "uid_c", V1)
    assert [group.directory for group in made] == ["/cpu/s/uid_c", "/memory/s/uid_c", "/pids/s/uid_c"]
    assert _settings(Requirements(Decimal(1), Decimal("0.5"), 2**20), V1) == {
        "cpu.shares": "1024",
        "cpu.cfs_period_us": "100000",
        "cpu.cfs_quota_us": "50000",
        "memory.limit_in_bytes": "1048576",
        "memory.memsw.limit_in_bytes": "1048576",
        "pids.max": "16384",
    }


def test_version_2_has_one_group() -> None:
    assert len(groups(Requirements(None, None, None), "c", V2)) == 1
    found = _settings(Requirements(Decimal(1), Decimal(2), 2**20), V2)
    assert (found["cpu.weight"], found["cpu.max"], found["memory.max"]) == ("39", "200000 100000", "1048576")
    assert (found["memory.swap.max"], found["memory.oom.group"]) == ("0", "1")


@pytest.mark.parametrize(("cores", "quota"), [("0.001", "1000"), ("0.01", "1000"), ("2", "200000")])
def test_a_quota_has_the_least_that_the_kernel_takes(cores: str, quota: str) -> None:
    assert _settings(Requirements(None, Decimal(cores), None), V1)["cpu.cfs_quota_us"] == quota


def test_without_limits_nothing_but_the_number_of_processes_is_limited() -> None:
    assert _settings(Requirements(None, None, None), V1) == {"cpu.shares": "2", "pids.max": "16384"}


def test_where_limits_are_polled_there_are_no_groups() -> None:
    assert groups(Requirements(None, None, 1), "c", Enforcement()) == ()
