from pathlib import Path

import pytest

from sidings.host import process
from sidings.host.errors import EngineNotRunning
from sidings.host.home import EngineRecord, Home, concerns, locate, read_json, write_json


def record(**more: object) -> EngineRecord:
    me = process.of_this_process()
    fields = {
        "pid": me.pid,
        "start_ticks": me.start_ticks,
        "boot_id": me.boot_id,
        "server": "https://127.0.0.1:7443",
        "kubeconfig": "/home/kubeconfig",
        "version": "0",
        "started": "2026-01-01T00:00:00Z",
    }
    return EngineRecord(**{**fields, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"SIDINGS_HOME": "/state/s", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/state/s"),
        ({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/sidings"),
        ({"HOME": "/h"}, "/h/.local/state/sidings"),
    ],
)
def test_where_state_lives(environ: dict[str, str], path: str) -> None:
    assert locate(environ).path == Path(path)


def test_a_home_through_a_link_is_the_same_home(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert locate({"SIDINGS_HOME": str(tmp_path / "link")}).path == tmp_path.resolve() / "real"


def test_no_record_no_engine(tmp_path: Path) -> None:
    assert Home(tmp_path).running() is None
    with pytest.raises(EngineNotRunning) as caught:
        Home(tmp_path).engine()
    assert (caught.value.cause, caught.value.remedy) == ("", "sidings up")


def test_the_record_of_a_living_engine(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.write_record(record())
    assert home.engine() == record()
    assert home.record_file.stat().st_mode & 0o777 == 0o600
    home.forget_record()
    assert home.record() is None


@pytest.mark.parametrize("lost", [{"start_ticks": 1}, {"boot_id": "another"}, {"pid": 2**22 + 1}])
def test_a_pid_of_another_process_or_another_boot_is_no_engine(tmp_path: Path, lost: dict[str, object]) -> None:
    home = Home(tmp_path)
    home.write_record(record(**lost))
    assert home.running() is None
    with pytest.raises(EngineNotRunning) as caught:
        home.engine()
    assert "ended without `sidings down`" in caught.value.cause


def test_files_are_replaced_in_one_step(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    assert read_json(file) is None
    write_json(file, {"a": 1})
    write_json(file, {"a": 2})
    assert read_json(file) == {"a": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize(("file_system", "told"), [("overlay", "container"), ("tmpfs", "reboot"), ("ext4", "")])
def test_a_place_that_does_not_last_is_told(tmp_path: Path, file_system: str, told: str) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"1 0 8:1 / / rw - {file_system} none rw\n")
    found = concerns(Home(tmp_path / "not" / "made" / "yet"), table)
    assert told in " ".join(found)
    assert bool(found) == bool(told)


def test_a_home_that_others_can_enter_is_told(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text("1 0 8:1 / / rw - ext4 none rw\n")
    tmp_path.chmod(0o755)
    [told] = concerns(Home(tmp_path), table)
    assert told.endswith(f"chmod 700 {tmp_path}")
    tmp_path.chmod(0o700)
    assert concerns(Home(tmp_path), table) == []
