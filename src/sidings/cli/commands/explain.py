"""``sidings explain``: what a code of ``why`` and ``check`` means."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from sidings.cli.errors import ExitCode, UsageError
from sidings.cli.invocation import Invocation

SUMMARY = "explain a code of `why` and `check`"
DESCRIPTION = """
Print what a finding means and how it is mended: `sidings explain SDG-110`. Without a code all of them in a line each.
"""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("code", nargs="?", default="", metavar="SDG-NNN", help="which (default: a list of all)")


def run(args: Namespace, invocation: Invocation) -> int:
    from sidings.answers.explanations import EXPLANATIONS
    from sidings.cli import output

    console = invocation.console
    if not args.code:
        rows = [[code, str(found.severity), found.title] for code, found in EXPLANATIONS.items()]
        for line in output.table(("CODE", "SEVERITY", "TITLE"), rows):
            console.print(line)
        return ExitCode.OK
    code = args.code.upper()
    if code not in EXPLANATIONS:
        raise UsageError(f'there is no finding "{args.code}"', remedy="sidings explain   (lists all)")
    found = EXPLANATIONS[code]
    console.print(f"{code}: {found.title} ({found.severity})\n\n{found.meaning}\n\nTo mend it: {found.mending}")
    return ExitCode.OK
