"""Which command does what it must with which kubectl, and the page that says so.

    python -m tests.clients.matrix [--versions 1.29.14,1.37.1]      writes docs/kubectl.md

One engine serves all clients, three of which run at a time. `make soak` runs it whole; CI the newest client on all
commands and on a few kinds, and that the page has every command, every kind and no failure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.clients import commands
from tests.clients.commands import Sample
from tests.clients.kubectl import Client, Kubectl, Refused, found
from tests.e2e.machine import Machine

PAGE = Path(__file__).parents[2] / "docs" / "kubectl.md"
PASSED, UNKNOWN = "ok", "not in this kubectl"
AT_ONCE = 3
_HEAD = """\
# kubectl

Every command below was run with every kubectl named here against one engine, and did what it does on a cluster: what is
looked for in its output is in [commands.yaml](../tests/clients/commands.yaml) and
[verbs.yaml](../tests/clients/verbs.yaml). This page is written by the test that runs them
(`python -m tests.clients.matrix`).

"""


@dataclass
class Results:
    """What became of each command and each kind with one kubectl: ``ok``, ``not in this kubectl`` or what was wrong."""

    kubectl: Kubectl
    commands: dict[str, str] = field(default_factory=dict)
    """By group and command as it is shown."""
    kinds: dict[str, str] = field(default_factory=dict)
    """By title."""

    @property
    def failures(self) -> list[str]:
        everything = {**self.commands, **self.kinds}
        return [f"{what}: {result}" for what, result in everything.items() if result not in (PASSED, UNKNOWN)]


def key(group: str, command: commands.Command) -> str:
    return f"{group}: {command.shown}"


def run(client: Client, samples: Sequence[Sample]) -> Results:
    """All commands, then all verbs on each of ``samples``."""
    results = Results(client.kubectl)
    client.begin()
    for group, members in commands.groups().items():
        for command in members:
            known = command.since <= client.kubectl.minor
            results.commands[key(group, command)] = _result(client, command) if known else UNKNOWN
    for family in commands.families(samples):
        wrong = client.run_verbs(family)
        results.kinds |= {sample.title: wrong.get(sample.title, PASSED) for sample in family.samples}
    return results


def _result(client: Client, command: commands.Command) -> str:
    try:
        client.run(command)
    except Refused as refused:
        return str(refused)
    return PASSED


def run_all(machine: Machine, kubectls: Sequence[Kubectl], folder: Path) -> list[Results]:
    """Every kubectl on everything; each has a node of its own."""
    clients = [
        Client(kubectl, machine.home / "kubeconfig", folder / kubectl.name, f"node-{number}")
        for number, kubectl in enumerate(kubectls, 1)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda client: run(client, commands.samples()), clients))


def engine_for(machine: Machine, kubectls: Sequence[Kubectl]) -> None:
    machine.ok("up", "--nodes", str(len(kubectls)), "--cpu", "8", "--memory", "64Gi")


def page(results: Sequence[Results]) -> str:
    versions = [result.kubectl.version for result in results]
    lines = [_HEAD + f"Clients: {', '.join(versions)}.\n"]
    for group, members in commands.groups().items():
        lines += [f"\n## {group}\n", *_table("command", versions)]
        for command in members:
            cells = [_cell(result.commands[key(group, command)]) for result in results]
            lines.append(f"| {_code(command.shown)} | {' | '.join(cells)} |")
    lines += [f"\n## {commands.KINDS_TITLE}\n", "On an object of each kind, in this order:\n"]
    lines += [f"* {_code(verb.shown.replace('{{', '{').replace('}}', '}'))}" for verb in commands.read("verbs.yaml")]
    lines += ["", *_table("kind", versions)]
    for sample in commands.samples():
        cells = [_cell(result.kinds[sample.title]) for result in results]
        lines.append(f"| {sample.title} | {' | '.join(cells)} |")
    lines += ["\nLeft out, and tested by themselves:\n"]
    lines += [f"* {kind}: {reason}" for kind, reason in commands.TESTED_ELSEWHERE.items()]
    return "\n".join(lines) + "\n"


def _table(first: str, versions: Sequence[str]) -> list[str]:
    return [f"| {first} | {' | '.join(versions)} |", "|---" * (len(versions) + 1) + "|"]


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"


def _cell(result: str) -> str:
    return {PASSED: "ok", UNKNOWN: "-"}.get(result, "FAILED")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", default="", help="only these (default: every kubectl found)")
    arguments = parser.parse_args()
    wanted = [text for text in arguments.versions.split(",") if text]
    kubectls = [kubectl for kubectl in found() if not wanted or kubectl.version in wanted]
    with tempfile.TemporaryDirectory() as name:
        machine = Machine(Path(name))
        try:
            engine_for(machine, kubectls)
            results = run_all(machine, kubectls, Path(name) / "clients")
        finally:
            machine.sidings("down", "--force")
    PAGE.write_text(page(results))
    for result in results:
        for failure in result.failures:
            print(f"kubectl {result.kubectl.version}: {failure}", file=sys.stderr)
    sys.exit(any(result.failures for result in results))


if __name__ == "__main__":
    main()
