from pathlib import Path

import pytest

from sidings.host.doctor import state
from sidings.host.doctor.finding import Verdict
from sidings.host.home import Home


@pytest.mark.parametrize(
    ("kind", "verdict"), [("ext4", Verdict.OK), ("tmpfs", Verdict.WARNING), ("nfs4", Verdict.PROBLEM)]
)
def test_the_file_system_decides(tmp_path: Path, kind: str, verdict: Verdict) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"1 0 0:1 / / rw - {kind} source rw\n")
    found = state.file_system(Home(tmp_path / "not" / "yet"), table)
    assert found.verdict is verdict
    assert bool(found.remedy) == (verdict is not Verdict.OK)


@pytest.mark.parametrize(("free", "verdict"), [(2**40, Verdict.OK), (2**30, Verdict.WARNING), (2**20, Verdict.PROBLEM)])
def test_room(free: int, verdict: Verdict) -> None:
    assert state.judge_room(Path("/state"), free).verdict is verdict


def test_the_room_of_a_place_that_is_not_there_yet(tmp_path: Path) -> None:
    assert "GiB are free" in state.disk(Home(tmp_path / "not" / "yet")).message
