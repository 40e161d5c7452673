"""Documentation that cannot fall behind: every command, option and error code has its place in docs/."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import sidings
from sidings.cli.errors import ExitCode, exit_code_of
from sidings.errors import SidingsError
from tests.cli import reference

DOCS = Path(__file__).parents[2] / "docs"
ROOTS = ("SIDINGS", "CLI", "CLIENT", "HOST", "NODE", "STORE", "VERIFICATION")
ABSTRACT = {f"{root}_ERROR" for root in ROOTS}
"""Codes of classes that only group others."""


def errors() -> Iterator[type[SidingsError]]:
    for module in pkgutil.walk_packages(sidings.__path__, "sidings."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting = [SidingsError]
    while waiting:
        error = waiting.pop()
        waiting += error.__subclasses__()
        if error.__module__.startswith("sidings."):
            yield error


def rows() -> dict[str, list[str]]:
    """Rows of the tables of docs/errors.md by code: exit code, cause, remedy."""
    text = (DOCS / "errors.md").read_text()
    return {m[1]: [cell.strip() for cell in m[2].split("|")] for m in re.finditer(r"^\| `(\w+)` \|(.*)\|$", text, re.M)}


def test_the_command_reference_is_what_the_program_says() -> None:
    assert (DOCS / "cli.md").read_text() == reference.render(), "run: python -m tests.cli.reference > docs/cli.md"


def test_every_error_code_is_documented_with_cause_and_no_other() -> None:
    documented = rows()
    assert set(documented) == {error.code for error in errors()} - ABSTRACT
    assert all(cause for _, cause, _ in documented.values())


def test_documented_exit_codes_are_those_of_the_program() -> None:
    for error in errors():
        if error.code in ABSTRACT or error.code == "REFUSED":
            continue
        one = error.__new__(error)
        assert rows()[error.code][0] == str(int(exit_code_of(one))), error.code


def test_every_exit_code_is_documented() -> None:
    text = (DOCS / "errors.md").read_text()
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.M)} == {int(code) for code in ExitCode}
