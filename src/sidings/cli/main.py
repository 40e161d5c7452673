"""The entry point: find the command, run it, turn what went wrong into words and an exit code.

Only the module of the command that was typed is imported, and nothing slow before the arguments are known to be right:
the table below says enough for ``--help``. An error that we raise on purpose is shown in its own words, any other is a
bug and shows its traceback only with ``SIDINGS_DEBUG=1``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from sidings.cli.errors import ExitCode, Unexpected, exit_code_of
from sidings.errors import SidingsError

if TYPE_CHECKING:
    from sidings.cli.console import Console
    from sidings.cli.invocation import Invocation

COMMANDS: dict[str, str] = {
    "up": "start the engine and return when it is ready",
    "down": "stop the engine and everything it started",
    "status": "show the engine, its nodes and its jobs",
    "run": "start a job, follow it, and exit with its verdict",
    "get": "show jobs (or the pods of jobs) with their state",
    "why": "say why a job waits or failed, and which command mends it",
    "check": "say what would become of manifests, without submitting them",
    "explain": "explain a code of `why` and `check`",
    "logs": "print the logs of a job's ranks",
    "top": "show how far jobs are, what ranks and GPUs do, and who holds the others up",
    "suspend": "stop jobs; they keep their place and go on with `resume`",
    "resume": "let suspended jobs go on",
    "delete": "delete jobs and their pods",
    "queue": "play and replay what the queue decides",
    "train": "try out whether a training script resumes exactly",
    "doctor": "check this machine: sandbox tier, limits, disk, GPUs, torch",
    "convert": "turn jobs of the Training Operator (v1) into TrainJobs",
    "version": "print the version of this program and of the running engine",
    "completion": "print the completion script of a shell",
}
"""Every command and its line of ``--help``; tests compare the line with the command's own SUMMARY."""

EPILOG = """
exit codes: 0 ok, 1 a job failed or an error, 2 wrong usage, 3 not found, 4 conflict or invalid object,
            5 server not reachable, 6 would not be admitted, 7 timed out, 130 interrupted
environment: SIDINGS_HOME (where state lives), NO_COLOR, SIDINGS_DEBUG=1 (tracebacks)
objects (create, edit, describe, wait) are kubectl's: eval "$(sidings up)" points it at the engine
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = build_parser(command_in(arguments)).parse_args(arguments)
    return run_guarded(args, _invocation(args))


def _invocation(args: argparse.Namespace) -> Invocation:
    """What this process is to a command."""
    from pathlib import Path

    from sidings.cli import console
    from sidings.cli.invocation import Invocation
    from sidings.clock import SystemClock

    streams = console.of_process(os.environ, no_color=args.no_color)
    return Invocation(streams, os.environ, sys.stdin, Path.cwd(), SystemClock())


def run_guarded(args: argparse.Namespace, invocation: Invocation) -> int:
    """Run the command that ``args`` names; whatever it raises becomes words on stderr and an exit code."""
    console = invocation.console
    try:
        return int(_module(args.command).run(args, invocation))
    except KeyboardInterrupt:
        console.say("\ninterrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of our stdout (head, less) has seen enough. Nothing more can be flushed at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except Exception as error:
        if invocation.environ.get("SIDINGS_DEBUG"):
            raise
        return report(console, error)


def report(console: Console, error: BaseException) -> int:
    """Show ``error`` (of a group, the first of ours) and return its exit code."""
    for one in _flat(error):
        if isinstance(one, SidingsError):
            console.report(one)
            return exit_code_of(one)
    bug = next(iter(_flat(error)))
    unexpected = Unexpected(
        f"unexpected {type(bug).__name__}: {bug}",
        cause="this is a bug in sidings",
        remedy="repeat the command with SIDINGS_DEBUG=1 and report the traceback",
    )
    console.report(unexpected)
    return ExitCode.FAILED


def _flat(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [inner for one in error.exceptions for inner in _flat(one)]
    return [error]


def command_in(arguments: Sequence[str]) -> str:
    """The command that was typed, ``""`` for none; only options of the program itself may come before it."""
    return next((word for word in arguments if not word.startswith("-")), "")


def build_parser(*configured: str) -> argparse.ArgumentParser:
    """The parser of the program. Only commands in ``configured`` are imported and get their arguments."""
    parser = argparse.ArgumentParser(
        prog="sidings",
        description="Distributed training with the Kubeflow and JobSet APIs on this machine.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--no-color", action="store_true", help="no colour, as with NO_COLOR=1")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title="commands")
    for name, summary in COMMANDS.items():
        if name not in configured:
            commands.add_parser(name, help=summary, add_help=False)
            continue
        module = _module(name)
        command = commands.add_parser(
            name,
            help=summary,
            description=module.DESCRIPTION.strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.configure(command)
    return parser


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"sidings.cli.commands.{name}")


def _version() -> str:
    import sidings

    return f"sidings {sidings.__version__}"


if __name__ == "__main__":
    sys.exit(main())
