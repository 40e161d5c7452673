"""``sidings completion``: completion for bash, zsh and fish, with the names of jobs.

The scripts are small and ask this program for candidates (``completion candidates WORD...``), so that they never fall
behind its options. Candidates that need the engine are silently none when it does not run.
"""

from __future__ import annotations

import argparse
import asyncio
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

SUMMARY = "print the completion script of a shell"
DESCRIPTION = """
Print a completion script: `source <(sidings completion bash)`, `source <(sidings completion zsh)`,
`sidings completion fish | source`.
"""
TAKES_JOBS = ("get", "logs", "suspend", "resume", "delete")

BASH = """\
_sidings() {
    local IFS=$'\\n' known
    known="$(sidings completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)"
    COMPREPLY=($(compgen -W "$known" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sidings sidings
"""
ZSH = """\
#compdef sidings
_sidings() {
    compadd -- ${(f)"$(sidings completion candidates -- "${(@)words[2,CURRENT-1]}" 2>/dev/null)"}
}
compdef _sidings sidings
"""
FISH = """\
complete -c sidings -a '(sidings completion candidates -- (commandline -opc)[2..] 2>/dev/null)'
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=(*SCRIPTS, "candidates"), metavar="{bash,zsh,fish}", help="which shell")
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(args: Namespace, invocation: Invocation) -> int:
    if args.shell in SCRIPTS:
        invocation.console.out.write(SCRIPTS[args.shell])
        return ExitCode.OK
    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    for candidate in candidates(words, invocation):
        invocation.console.print(candidate)
    return ExitCode.OK


def candidates(words: list[str], invocation: Invocation) -> list[str]:
    """What may follow ``words`` (without the program's name): commands, else options of the command and jobs."""
    from sidings.cli import main

    command = main.command_in(words)
    if command not in main.COMMANDS:
        return list(main.COMMANDS)
    options = option_strings(main.build_parser(command), command)
    return [*(job_names(invocation) if command in TAKES_JOBS else ()), *options]


def option_strings(parser: ArgumentParser, command: str) -> list[str]:
    chosen = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    actions: Iterable[argparse.Action] = chosen.choices[command]._actions
    return [option for action in actions for option in action.option_strings if option.startswith("--")]


def job_names(invocation: Invocation) -> list[str]:
    from sidings.cli import cluster, jobs
    from sidings.errors import SidingsError

    async def names() -> list[str]:
        args = Namespace(namespace="", context="", kubeconfig="")
        async with cluster.connect(args, invocation) as connected:
            found = await jobs.all_families(connected.client, connected.namespace)
        return [family.root["metadata"]["name"] for family in found]

    try:
        return asyncio.run(names())
    except SidingsError:
        return []
