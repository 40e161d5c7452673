import resource
import subprocess
import sys
from pathlib import Path

import pytest

from sidings.cli import main
from sidings.cli.errors import ExitCode, UsageError
from tests.cli.consoles import console, err, invocation, out


@pytest.mark.parametrize("name", main.COMMANDS)
def test_the_overview_says_what_each_command_says_of_itself(name: str) -> None:
    module = main._module(name)
    assert main.COMMANDS[name] == module.SUMMARY
    assert module.DESCRIPTION.strip()


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main.main([name, "--help"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: sidings {name}")


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["get", "--nonsense"], ["up", "--nodes", "many"]])
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main.main(arguments)
    assert stopped.value.code == ExitCode.USAGE


def test_without_an_engine_a_command_says_how_to_start_one(tmp_path: Path) -> None:
    it = invocation(tmp_path, {"SIDINGS_HOME": str(tmp_path)})
    args = main.build_parser("get").parse_args(["get"])
    assert main.run_guarded(args, it) == ExitCode.UNREACHABLE
    assert out(it.console) == ""
    assert err(it.console) == f"error[ENGINE_NOT_RUNNING]: no engine runs in {tmp_path}\nhelp: sidings up\n"


def test_of_a_group_of_errors_ours_is_shown() -> None:
    it = console()
    group = ExceptionGroup("tasks", [ValueError("no"), ExceptionGroup("inner", [UsageError("ours")])])
    assert main.report(it, group) == ExitCode.USAGE
    assert err(it) == "error[USAGE]: ours\n"


def test_a_bug_is_called_one() -> None:
    it = console()
    assert main.report(it, KeyError("x")) == ExitCode.FAILED
    assert err(it).startswith("error[INTERNAL]: unexpected KeyError: 'x'\n")
    assert "SIDINGS_DEBUG=1" in err(it)


def test_help_is_quick_and_imports_nothing_slow() -> None:
    """The budget is 0.15 s; here it is CPU time and the bound generous, because others may share the machine."""
    begun = _cpu_of_children()
    probe = """
import sys, sidings.cli.main as m
try:
    m.main(["--help"])
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert _cpu_of_children() - begun < 1.0
    assert not {"asyncio", "yaml", "ssl", "dataclasses", "torch", "sidings.host"} & set(done.stderr.split())


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m sidings completion candidates | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
