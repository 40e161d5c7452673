"""``sidings version``: of this program and of the engine that runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

SUMMARY = "print the version of this program and of the running engine"
DESCRIPTION = SUMMARY[0].upper() + SUMMARY[1:] + "."


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("-o", "--output", choices=("json", "yaml"), default="", help="for programs")


def run(args: Namespace, invocation: Invocation) -> int:
    import sidings
    from sidings.cli import output
    from sidings.host import home

    engine = home.locate(invocation.environ).running()
    versions = {"client": sidings.__version__, "engine": engine.version if engine else None}
    if args.output:
        invocation.console.print(output.as_json(versions) if args.output == "json" else output.as_yaml(versions))
        return ExitCode.OK
    invocation.console.print(f"sidings {versions['client']}")
    invocation.console.print(f"engine  {versions['engine'] or '(not running)'}")
    if engine and engine.version != sidings.__version__:
        invocation.console.say("the engine is another version; `sidings down` and `sidings up` start this one")
    return ExitCode.OK
