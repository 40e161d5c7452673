"""Manifests as a user has them: files, folders or stdin, several YAML documents each, and errors that name the line.

A parsed :class:`Document` remembers where each of its fields stands, so that an answer of the API server about
``spec.trainer.numNodez`` is shown with the file and the line that a user must change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

from sidings.api import yaml_documents
from sidings.api.objects import Object
from sidings.cli.errors import ManifestError

SUFFIXES = (".yaml", ".yml", ".json")
_NULL = "tag:yaml.org,2002:null"
_LAST_STEP = re.compile(r"(\.[^.\[\]]+|\[[^\]]*\])$")


@dataclass
class Document:
    """One object of a manifest and the lines of its fields, keyed by dotted path (``spec.containers[0].name``)."""

    obj: Object
    source: str
    line: int
    lines: dict[str, int] = field(default_factory=dict)

    def where(self, path: str = "") -> str:
        """``file:line  path`` of a field, or of the nearest field above it that the manifest has."""
        known = path
        while known and known not in self.lines:
            shorter = _LAST_STEP.sub("", known)
            known = "" if shorter == known else shorter
        return f"{self.source}:{self.lines.get(known, self.line)}" + (f"  {path}" if path else "")

    @property
    def title(self) -> str:
        """``TrainJob "granite"``."""
        metadata = self.obj.get("metadata") or {}
        return f'{self.obj["kind"]} "{metadata.get("name") or metadata.get("generateName", "") + "..."}"'


def read(sources: Iterable[str], stdin: TextIO) -> list[Document]:
    """Every object of ``sources`` in order; ``-`` is stdin, a folder means its YAML and JSON files by name.

    Raises ``ManifestError`` for a file that cannot be read, broken YAML, or a document that is no Kubernetes object.
    """
    documents = [document for source in sources for document in _read_one(source, stdin)]
    if not documents:
        raise ManifestError(f"no objects in {', '.join(sources)}", cause="there is no YAML document that holds one")
    return documents


def _read_one(source: str, stdin: TextIO) -> Iterator[Document]:
    if source == "-":
        yield from parse(_text("stdin", stdin.read), "stdin")
        return
    path = Path(source)
    files = sorted(p for p in path.iterdir() if p.suffix in SUFFIXES) if path.is_dir() else [path]
    for file in files:
        yield from parse(_text(str(file), partial(file.read_text, encoding="utf-8")), str(file))


def _text(source: str, read: Callable[[], str]) -> str:
    try:
        text = read()
        text.encode()  # in the C locale, stdin brings bytes that are no text along as lone surrogates
    except OSError as error:
        raise ManifestError(f"cannot read {source}", cause=error.strerror or str(error)) from error
    except UnicodeError as error:
        raise ManifestError(f"cannot read {source}", cause=f"not UTF-8 text: {error}") from error
    return text


def parse(text: str, source: str) -> Iterator[Document]:
    """The objects of one YAML stream; a ``v1.List`` gives its items."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # Read twice: nodes for their lines, values by the rules of the API server.
        nodes = [node for node in yaml.compose_all(text, loader) if node.tag != _NULL]
        values = yaml_documents.load_all(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        raise ManifestError(
            f"{source} is not valid YAML",
            cause=": ".join(part for part in (error.context, error.problem) if part),
            where=where + (_excerpt(text, mark.line) if mark else ""),
        ) from error
    except yaml.YAMLError as error:
        raise ManifestError(f"{source} is not valid YAML", cause=" ".join(str(error).split()), where=source) from error
    for value, node in zip(values, nodes, strict=True):
        yield from _documents(value, node, source)


def _documents(value: Any, node: Node, source: str) -> Iterator[Document]:
    line = node.start_mark.line + 1
    if not isinstance(value, dict):
        raise ManifestError(
            f"{source} holds a document that is no Kubernetes object",
            cause=f"it is a {type(value).__name__}, not a mapping with apiVersion and kind",
            where=f"{source}:{line}",
        )
    lines = dict(_lines(node, "", source))
    if value.get("kind") == "List" and value.get("apiVersion") == "v1":
        for index, item in enumerate(value.get("items") or ()):
            prefix = f"items[{index}]"
            inner = {
                path.removeprefix(f"{prefix}."): number
                for path, number in lines.items()
                if path.startswith(f"{prefix}.")
            }
            yield _checked(Document(item, source, lines.get(prefix, line), inner))
        return
    yield _checked(Document(value, source, line, lines))


def _checked(document: Document) -> Document:
    obj = document.obj
    missing = [key for key in ("apiVersion", "kind") if not isinstance(obj, dict) or not isinstance(obj.get(key), str)]
    if missing:
        raise ManifestError(
            f"{document.source} holds a document that is no Kubernetes object",
            cause=f"{' and '.join(missing)} not set",
            where=document.where(),
        )
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        raise ManifestError(
            f"a {obj['kind']} in {document.source} has no name",
            cause="metadata.name (or metadata.generateName) is not set",
            where=document.where("metadata"),
        )
    return document


def _lines(node: Node, path: str, source: str) -> Iterator[tuple[str, int]]:
    """Path and line of every field below ``node``. A key that is given twice is an error: YAML keeps only the last."""
    if isinstance(node, MappingNode):
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in seen:
                raise ManifestError(
                    f'{source} sets "{key}" twice in one mapping',
                    cause=f"it was set in line {seen[key]} already; only one of them can count",
                    where=f"{source}:{line}  {path}",
                )
            seen[key] = line
            inner = f"{path}.{key}" if path else key
            yield inner, line
            yield from _lines(value_node, inner, source)
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.value):
            inner = f"{path}[{index}]"
            yield inner, item.start_mark.line + 1
            yield from _lines(item, inner, source)


def _excerpt(text: str, line: int) -> str:
    """The broken line itself, below its place."""
    lines = text.splitlines()
    return f"\n   |  {lines[line]}" if line < len(lines) else ""
