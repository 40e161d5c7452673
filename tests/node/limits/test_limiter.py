from pathlib import Path

from sidings.node.limits.enforcement import Enforcement
from sidings.node.limits.limiter import POLLED_PIDS, Limiter
from sidings.node.limits.requirements import PIDS
from sidings.node.sandbox import process_count

CONTAINER = {"name": "c", "resources": {"limits": {"memory": "64Mi"}}}


def test_what_control_groups_keep_is_not_polled(tmp_path: Path) -> None:
    limiter = Limiter(tmp_path)
    limiter.enforcement = Enforcement(2, {"memory": tmp_path, "pids": tmp_path})
    hold = limiter.hold("uid", CONTAINER)
    assert (hold.polled_memory, hold.polled_processes) == (0, 0)
    [group] = hold.groups
    assert dict(group.settings)["pids.max"] == str(PIDS)


def test_what_they_do_not_keep_is_polled(tmp_path: Path) -> None:
    limiter = Limiter(tmp_path)
    limiter.enforcement = Enforcement(2, {"cpu": tmp_path})
    hold = limiter.hold("uid", CONTAINER)
    assert hold.polled_memory == 64 * 2**20
    assert 0 < hold.polled_processes == min(POLLED_PIDS, process_count.ceiling() // 2)
    assert Limiter(tmp_path).hold("uid", {"name": "c"}).polled_memory == 0
