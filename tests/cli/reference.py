"""Writes docs/cli.md from the parsers: ``python -m tests.cli.reference > docs/cli.md``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from sidings.cli import main

HEAD = """\
# Command line

Generated from the parsers of the program by `python -m tests.cli.reference > docs/cli.md`; a test compares.

`kubectl` is the surface for objects; `sidings` starts and stops the engine and gives answers about jobs. Data goes to
stdout, progress, hints and warnings to stderr. Exit codes and error codes: [errors.md](errors.md).

| command | |
|---|---|"""


def render() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    parser = main.build_parser(*main.COMMANDS)
    yield HEAD
    for name, summary in main.COMMANDS.items():
        yield f"| [`sidings {name}`](#sidings-{name}) | {summary} |"
    for name, command in _commands(parser).items():
        yield from _command("##", f"sidings {name}", command)


def _command(heading: str, name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    yield from ("", f"{heading} {name}", "", str(command.description))
    positionals = [action for action in command._actions if not action.option_strings]
    options = [action for action in command._actions if action.option_strings]
    shown = [action for action in (*positionals, *options) if action.help != argparse.SUPPRESS]
    yield from ("", "| argument | |", "|---|---|")
    for action in shown:
        yield f"| `{_name(action)}` | {str(action.help).replace('|', '&#124;')} |"
    for verb, inner in _commands(command).items():
        yield from _command(f"{heading}#", f"{name} {verb}", inner)


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands of a parser, or the verbs of a command."""
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found[0].choices) if found else {}


def _name(action: argparse.Action) -> str:
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    if not action.option_strings:
        return str(value).replace("|", "&#124;")
    flags = ", ".join(action.option_strings)
    return flags if action.nargs == 0 else f"{flags} {value}"


if __name__ == "__main__":
    print(render(), end="")
