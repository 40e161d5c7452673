"""A package that was installed editable, from a checkout in the user's home, is there for the user's pods."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, pod

pytestmark = pytest.mark.e2e

LOOK = """\
from pathlib import Path
import stations
file = Path(stations.__file__)
print(stations.NAME, file.parents[2].joinpath("diary.txt").exists())
try:
    file.write_text("")
except OSError:
    print("read-only")
"""


@pytest.mark.parametrize("tier", [[], ["--tier", "host"]], ids=["best", "host"])
def test_it_is_imported_and_nothing_beside_it_is_seen(machine: Machine, tier: list[str]) -> None:
    home = Path(machine.environ["HOME"])
    venv.create(home / "venv", symlinks=True)
    (packages,) = (home / "venv").glob("lib/python3*/site-packages")
    source = home / "project" / "src"
    (source / "stations").mkdir(parents=True)
    (source / "stations" / "__init__.py").write_text("NAME = 'Crewe'\n")
    (home / "project" / "diary.txt").write_text("secret")
    (packages / "_stations.pth").write_text(f"{source}\n")
    machine.ok("up", *tier, "--image", f"mine*={home / 'venv'}")
    machine.apply(pod("looks", ["python", "-c", LOOK], container={"image": "mine:1"}))
    machine.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/looks", "--timeout=120s")
    assert machine.kubectl("logs", "looks") == "Crewe False\nread-only\n"
