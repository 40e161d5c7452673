from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidings.cli import main
from sidings.cli.commands import doctor
from sidings.host.doctor.finding import Finding, ok, problem, warning
from tests.cli.consoles import console, invocation, out


def test_each_finding_is_a_line_with_its_remedy_below() -> None:
    shown = console()
    doctor.show(shown, [ok("disk", "plenty"), warning("limits", "polled", "sudo sidings up")])
    assert out(shown).splitlines() == [
        "disk    ok       plenty",
        "limits  warning  polled",
        "                 help: sudo sidings up",
    ]


@pytest.mark.parametrize(
    ("findings", "code"), [([ok("a", "")], 0), ([warning("a", "")], 0), ([ok("a", ""), problem("b", "")], 1)]
)
def test_only_what_keeps_it_from_working_fails(findings: list[Finding], code: int) -> None:
    assert doctor.exit_code(findings) == code


def test_this_machine_as_json(tmp_path: Path) -> None:
    args = main.build_parser("doctor").parse_args(["doctor", "-o", "json"])
    here = invocation(tmp_path, {"SIDINGS_HOME": str(tmp_path / "home")})
    doctor.run(args, here)
    checks = json.loads(out(here.console))["checks"]
    names = ["sandbox", "limits", "engines", "file system", "disk", "port", "gpus", "torch", "clock"]
    assert [check["check"] for check in checks] == names
    assert all(check["verdict"] in ("ok", "warning", "problem") and check["message"] for check in checks)
    assert not (tmp_path / "home").exists()
