import subprocess
from pathlib import Path

import pytest

from sidings.cli import main
from sidings.cli.commands import completion
from tests.cli.consoles import invocation


def test_first_the_commands_then_their_options(tmp_path: Path) -> None:
    it = invocation(tmp_path, {"SIDINGS_HOME": str(tmp_path)})
    assert completion.candidates([], it) == list(main.COMMANDS)
    assert completion.candidates(["--no-color"], it) == list(main.COMMANDS)
    assert {"--nodes", "--cpu", "--foreground"} < set(completion.candidates(["up"], it))


def test_without_an_engine_there_are_no_names_and_no_error(tmp_path: Path) -> None:
    it = invocation(tmp_path, {"SIDINGS_HOME": str(tmp_path)})
    assert "--follow" in completion.candidates(["logs"], it)


def test_the_bash_script_completes(tmp_path: Path) -> None:
    script = f"""
{completion.BASH}
sidings() {{ echo status; echo suspend; echo up; }}
COMP_WORDS=(sidings s) COMP_CWORD=1
_sidings
echo "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "status suspend\n"


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_every_script_asks_the_program(shell: str) -> None:
    assert "sidings completion candidates --" in completion.SCRIPTS[shell]
