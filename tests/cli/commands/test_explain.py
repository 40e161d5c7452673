from pathlib import Path

import pytest

from sidings.answers.explanations import EXPLANATIONS
from sidings.cli import main
from sidings.cli.commands import explain
from sidings.cli.errors import UsageError
from tests.cli.consoles import invocation, out


def test_a_code_in_any_case(tmp_path: Path) -> None:
    it = invocation(tmp_path)
    args = main.build_parser("explain").parse_args(["explain", "sdg-110"])
    assert explain.run(args, it) == 0
    assert out(it.console).startswith("SDG-110: The job asks for more than its queue can ever give (error)\n")


def test_all_codes_in_a_line_each(tmp_path: Path) -> None:
    it = invocation(tmp_path)
    assert explain.run(main.build_parser("explain").parse_args(["explain"]), it) == 0
    assert len(out(it.console).splitlines()) == len(EXPLANATIONS) + 1


def test_a_code_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='there is no finding "SDG-999"'):
        explain.run(main.build_parser("explain").parse_args(["explain", "SDG-999"]), invocation(tmp_path))
