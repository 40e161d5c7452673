from pathlib import Path

from sidings.host.doctor import limits
from sidings.host.doctor.finding import Verdict
from sidings.host.doctor.surroundings import Surroundings
from sidings.node.limits.enforcement import Enforcement

POLLED = Enforcement(refused="no control groups are mounted")


def test_how_limits_are_kept_and_how_they_could_be() -> None:
    kept = limits.judge(Enforcement(2, {"memory": Path("/x")}), Surroundings(True))
    assert (kept.verdict, kept.remedy) == (Verdict.OK, "") and kept.message.startswith("CgroupsV2")
    polled = limits.judge(POLLED, Surroundings(False))
    assert (polled.verdict, polled.remedy) == (Verdict.WARNING, "sudo sidings up")
    assert "--privileged" in limits.judge(POLLED, Surroundings(True, "docker")).remedy


def test_looking_leaves_no_control_group(tmp_path: Path) -> None:
    limits.examine(tmp_path, Surroundings(True))
    assert list(tmp_path.iterdir()) == []
