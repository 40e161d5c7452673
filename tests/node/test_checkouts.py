from pathlib import Path

import pytest

from sidings.node.checkouts import checkouts


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "venv" / "lib" / "python3.11" / "site-packages"
    folder.mkdir(parents=True)
    return folder


def found(packages: Path, *secrets: Path) -> list[Path]:
    return checkouts(packages.parents[2], secrets)


def test_a_package_installed_editable_is_where_its_line_says(packages: Path, tmp_path: Path) -> None:
    source = tmp_path / "home" / "project" / "src"
    source.mkdir(parents=True)
    (packages / "_project.pth").write_text(f"{source}\n")
    (packages / "again.pth").write_text(f"# twice\n\n{source}")
    assert found(packages) == [source]


def test_code_and_what_is_not_there_name_nothing(packages: Path) -> None:
    (packages / "hook.pth").write_text("import os; os.environ\n/no/such/folder\n/etc/hostname\n\0\n")
    (packages / "bytes.pth").write_bytes(b"\xff\xfe/\n")
    (packages / "folder.pth").mkdir()
    assert found(packages) == []


def test_a_path_from_site_packages_is_followed_and_one_within_the_environment_is_there_already(packages: Path) -> None:
    project = packages.parents[2].parent / "project"
    project.mkdir()
    (packages / "inner").mkdir()
    (packages / "project.pth").write_text("../../../../project\ninner\n")
    assert found(packages) == [project]


def test_a_home_is_not_shown_for_the_sake_of_a_package(packages: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (packages / "home.pth").write_text(f"{home}\n/\n{home / '.ssh'}\n")
    (home / ".ssh").mkdir()
    assert found(packages, home / ".ssh") == []


def test_an_environment_without_packages_names_none(tmp_path: Path) -> None:
    assert checkouts(tmp_path, ()) == []
