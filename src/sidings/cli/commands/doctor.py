"""``sidings doctor``: what this machine allows, what stands in the way, and the command that mends it."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.cli.console import Console
    from sidings.host.doctor.finding import Finding

SUMMARY = "check this machine: sandbox tier, limits, disk, GPUs, torch"
DESCRIPTION = """
Check what this machine allows: the sandbox tier that pods get and why, how limits are kept, the place where state
lives, the port, GPUs, torch and clocks, each with the command that would make it better. Changes nothing.
Exit code 1 where something keeps Sidings from working.
"""
_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("-o", "--output", choices=("json", "yaml"), default="", help="for programs")


def run(args: Namespace, invocation: Invocation) -> int:
    from dataclasses import asdict

    from sidings.cli import output
    from sidings.host import home
    from sidings.host.doctor.examination import examine

    findings = asyncio.run(examine(home.locate(invocation.environ), invocation.environ, invocation.clock))
    if args.output:
        answer = {"checks": [asdict(finding) | {"verdict": str(finding.verdict)} for finding in findings]}
        invocation.console.print(output.as_json(answer) if args.output == "json" else output.as_yaml(answer))
    else:
        show(invocation.console, findings)
    return exit_code(findings)


def show(console: Console, findings: list[Finding]) -> None:
    """A line for each finding, and below it what to do about it."""
    width = max(len(finding.check) for finding in findings)
    for finding in findings:
        verdict = console.paint(f"{finding.verdict:<7}", _COLOURS[finding.verdict])
        console.print(f"{finding.check:<{width}}  {verdict}  {finding.message}")
        if finding.remedy:
            console.print(f"{'':<{width}}  {'':<7}  {console.paint('help:', 'cyan')} {finding.remedy}")


def exit_code(findings: list[Finding]) -> int:
    return ExitCode.FAILED if any(finding.verdict == "problem" for finding in findings) else ExitCode.OK
