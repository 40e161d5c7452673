from pathlib import Path

from sidings.host.doctor.surroundings import look


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_containers_are_known_by_their_marks(tmp_path: Path) -> None:
    assert look({}, tmp_path).container == ""
    assert look({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path).container == "kubernetes"
    _write(tmp_path / ".dockerenv", "")
    assert look({}, tmp_path).container == "docker"


def test_settings_count_with_the_value_that_forbids(tmp_path: Path) -> None:
    _write(tmp_path / "proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")
    _write(tmp_path / "proc/sys/user/max_user_namespaces", "63000\n")
    assert look({}, tmp_path).restrictions == ("kernel.apparmor_restrict_unprivileged_userns",)
