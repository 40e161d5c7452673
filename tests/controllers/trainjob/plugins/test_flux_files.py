"""Scripts and certificate of a Flux job."""

from __future__ import annotations

import base64
import subprocess

import pytest

from sidings.controllers.trainjob.plugins import flux_files


def test_certificate_follows_from_the_uid() -> None:
    assert flux_files.certificate("u") == flux_files.certificate("u") != flux_files.certificate("v")
    text = base64.b64decode(flux_files.certificate("u")).decode()
    assert [len(line.split('"')[1]) for line in text.splitlines() if "-key" in line] == [40, 40]


def test_z85_is_that_of_zeromq() -> None:
    """The example of RFC 32."""
    assert flux_files.z85(bytes.fromhex("864FD26FB559F75B")) == "HelloWorld"


@pytest.mark.parametrize(
    "script",
    [flux_files.init_script("a-[0-1]", "a", "eth0", "fcfs"), flux_files.entry_point("a-0", "-N 2 -n 2")],
    ids=["init", "entrypoint"],
)
def test_scripts_are_bash(script: str) -> None:
    done = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
