"""The commands of kubectl that are run, as data: ``commands.yaml`` once, ``verbs.yaml`` on each kind of ``kinds.yaml``.

A command's words are read as a shell reads them. Braces name what differs from client to client (``{namespace}``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sidings.api import catalog
from sidings.api.kind import Kind

FOLDER = Path(__file__).parent
MANIFESTS = FOLDER / "manifests"
TESTED_ELSEWHERE = {
    "Project": "a view of namespaces, made by a ProjectRequest",
    "Route": "only listed",
    "DataScienceCluster": "there is one, and it switches components on and off",
    "JobSetOperator": "there is one, named cluster",
    "Kueue": "there is one, named cluster",
}
"""Kinds of which not everybody can make an object of their own."""
KINDS_TITLE = "Every kind served"


@dataclass(frozen=True)
class Command:
    """One command and what must come of it. Patterns are searched line by line; an empty one accepts everything."""

    run: str
    stdin: str = ""
    keys: str = ""
    """Typed in a terminal of 111 columns and 33 rows."""
    resize: bool = False
    """The terminal becomes 99 x 44 once its first size was told."""
    editor: str = ""
    """A program for sed, which is the user's editor."""
    pipe: str = ""
    """A second command, which reads what the first one writes."""
    begun: str = ""
    """The command goes on by itself: this is what it writes first, and after ``then`` and ``until`` it is killed."""
    started: float = 0.0
    """Or how long it needs to begin, where it writes nothing."""
    then: tuple[str, ...] = ()
    until: str = ""
    fetch: str = ""
    """A path to be read by HTTP from the port that the group in ``begun`` tells."""
    patient: bool = False
    """Tried again until it succeeds: what it shows is measured every few seconds."""
    code: int = 0
    out: str = ""
    err: str = ""
    since: int = 29
    """The first minor version of kubectl that knows it."""
    each: bool = False
    """On one kind after the other, not on all of a family."""
    custom: Mapping[str, Any] = field(default_factory=dict)
    """What differs for kinds that upstream serves by CustomResourceDefinitions."""

    def formatted(self, **names: str) -> Command:
        return replace(
            self,
            run=self.run.format_map(names),
            then=tuple(words.format_map(names) for words in self.then),
            begun=self.begun.format_map(names),
            until=self.until.format_map(names),
            out=self.out.format_map(names),
            err=self.err.format_map(names),
        )

    @property
    def shown(self) -> str:
        """As a user would type it."""
        words = f"kubectl {self.run}"
        return f"{words} | kubectl {self.pipe}" if self.pipe else words


@dataclass(frozen=True)
class Sample:
    """A kind and a manifest of it."""

    manifest: Mapping[str, Any]
    number: int

    @property
    def api_version(self) -> str:
        return str(self.manifest["apiVersion"])

    @property
    def kind(self) -> str:
        return str(self.manifest["kind"])

    @property
    def title(self) -> str:
        return f"{self.kind} ({self.api_version})"

    @property
    def served(self) -> Kind:
        group, _, version = self.api_version.rpartition("/")
        found = catalog.builtin().by_kind(group, version, self.kind)
        assert found is not None, f"{self.title} is not served"
        return found

    def names(self, client: str) -> dict[str, str]:
        """What the braces in ``verbs.yaml`` mean for this kind; names differ from kind to kind and client to client."""
        plain = f"{self.kind.lower()}-{self.number}-{client}"
        resource = self.served.resource
        name = str(self.manifest.get("name", "{name}")).format(name=plain)
        return {
            "name": name,
            "plain": plain,
            "shown": "Sampled" if self.kind == "Event" else name,  # whose table has no names
            "kind": self.kind,
            "plural": resource.plural,
            "api": self.api_version,
            "type": f"{resource.plural}.{resource.version}.{resource.group}",
        }

    def object(self, client: str, words: Mapping[str, str]) -> dict[str, Any]:
        """The manifest with its name, and its own words in braces replaced."""
        names = self.names(client)
        fields = {key: value for key, value in self.manifest.items() if key != "name"}
        words = {**words, "name": names["plain"], "number": str(self.number)}
        found: dict[str, Any] = json.loads(filled(json.dumps({**fields, "metadata": {"name": names["name"]}}), words))
        return found


@dataclass(frozen=True)
class Family:
    """Kinds on which verbs are run together."""

    name: str
    custom: bool
    samples: tuple[Sample, ...]

    def names(self, client: str) -> dict[str, str]:
        """What the braces mean for all kinds of it."""
        types = dict.fromkeys(sample.names(client)["type"] for sample in self.samples)
        sample = f"{self.name}-{client}"
        return {"sample": sample, "files": self.name, "changed": f"{self.name}-changed", "types": ",".join(types)}

    def verbs(self) -> list[Command]:
        return [replace(verb, **verb.custom) if self.custom and verb.custom else verb for verb in read("verbs.yaml")]

    def write(self, folder: Path, client: str, words: Mapping[str, str]) -> None:
        """The two folders that the commands name."""
        names = self.names(client)
        for place, edit in ((names["files"], "before"), (names["changed"], "changed")):
            (folder / place).mkdir()
            for sample in self.samples:
                obj = sample.object(client, words)
                obj["metadata"]["labels"] = {"sample": names["sample"], "edit": edit}
                (folder / place / f"{sample.number:03}.json").write_text(json.dumps(obj))


def families(samples: Sequence[Sample]) -> tuple[Family, ...]:
    """Built-in kinds, and those that upstream serves by CustomResourceDefinitions; empty ones are left out."""
    found = (
        Family(name, custom, tuple(sample for sample in samples if sample.served.builtin != custom))
        for name, custom in (("built-in", False), ("custom", True))
    )
    return tuple(family for family in found if family.samples)


def filled(text: str, words: Mapping[str, str]) -> str:
    """A manifest with its words in braces replaced; other braces are its own."""
    return re.sub(r"\{(\w+)\}", lambda found: words.get(found[1], found[0]), text)


def _command(data: Mapping[str, Any]) -> Command:
    return Command(**{**data, "then": tuple(data.get("then", ()))})


@cache
def read(file: str) -> tuple[Command, ...]:
    return tuple(_command(item) for item in yaml.safe_load((FOLDER / file).read_text()))


@cache
def groups() -> Mapping[str, tuple[Command, ...]]:
    """The commands that are run once, by the title of their group, in order."""
    found = yaml.safe_load((FOLDER / "commands.yaml").read_text())
    return {group["group"]: tuple(_command(item) for item in group["commands"]) for group in found}


@cache
def samples() -> tuple[Sample, ...]:
    found = yaml.safe_load((FOLDER / "kinds.yaml").read_text())
    return tuple(Sample(manifest, number) for number, manifest in enumerate(found))
