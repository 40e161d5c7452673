"""YAML as the API server reads and writes it: YAML 1.1 scalars in, JSON data out, and back.

Go's reader (sigs.k8s.io/yaml) and PyYAML differ where YAML 1.1 is odd: ``y`` and ``n`` are booleans only in Go, times
and ``1:30`` are dates or numbers only in PyYAML. A manifest must mean the same here and on a cluster: Go's rules win.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_BOOLEANS = re.compile(r"^(?:y|Y|n|N|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$")
_INTEGERS = re.compile(r"^(?:[-+]?0b[0-1_]+|[-+]?0o?[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+)$")
_TRUE = frozenset({"y", "yes", "true", "on"})

_Base: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BaseDumper: type[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_STRING = "tag:yaml.org,2002:str"
_NO_WRAP = 2**31 - 1
_MOST_VALUES = 400_000
"""What aliases may blow a short document up to; go-yaml becomes strict at this figure as well."""


class _Loader(_Base):  # type: ignore[misc]  # either of two classes, C or Python
    """The safe loader with Go's scalars; notes mapping keys that are given twice."""

    def __init__(self, stream: str | bytes) -> None:
        super().__init__(stream)
        self.repeated: list[str] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "invalid map key", key.start_mark)
            if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
                self.repeated.append(f'line {key.start_mark.line + 1}: key "{key.value}" already set in map')
            seen.add(key.value)
        self.flatten_mapping(node)
        return {self._key_text(key): self.construct_object(value, deep=deep) for key, value in node.value}

    def _key_text(self, node: yaml.Node) -> str:
        """JSON has string keys only; Go writes other scalars as JSON would."""
        key = self.construct_object(node)
        if isinstance(key, bool):
            return "true" if key else "false"
        return "null" if key is None else str(key)


def _boolean(loader: Any, node: yaml.ScalarNode) -> bool:
    return str(node.value).lower() in _TRUE


def _integer(loader: Any, node: yaml.ScalarNode) -> int:
    text = str(node.value).replace("_", "")
    sign, digits = (-1 if text.startswith("-") else 1), text.lstrip("+-")
    if digits.startswith(("0b", "0x", "0o")):
        return sign * int(digits, 0)
    return sign * int(digits, 8 if digits.startswith("0") and digits != "0" else 10)


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag.rpartition(":")[2] not in ("bool", "int", "timestamp", "float")
    ]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", _BOOLEANS, list("yYnNtTfFoO"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", _INTEGERS, list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    ),
    list("-+.0123456789"),
)
_Loader.add_constructor("tag:yaml.org,2002:bool", _boolean)
_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


class _Dumper(_BaseDumper):  # type: ignore[misc]  # either of two classes, C or Python
    """The safe dumper with Go's quotes: double ones around a string that would read as something else."""


def _text(dumper: Any, value: str) -> Any:
    style = None
    if "\n" in value:
        style = "|"
    elif not value or any(_means_else(resolvers, value) for resolvers in (_Loader, _BaseDumper)):
        style = '"'
    return dumper.represent_scalar(_STRING, value, style=style)


def _means_else(resolver: Any, plain: str) -> bool:
    return any(pattern.match(plain) for _, pattern in resolver.yaml_implicit_resolvers.get(plain[0], ()))


_Dumper.add_representer(str, _text)


def dump(value: Any) -> str:
    """``value`` as one document, keys sorted."""
    text: str = yaml.dump(value, Dumper=_Dumper, default_flow_style=False, allow_unicode=True, width=_NO_WRAP)
    return text


def load(text: str | bytes) -> tuple[Any, list[str]]:
    """One document, and what Go's strict reader would say about keys given twice. Raises ``yaml.YAMLError``."""
    loader = _Loader(text)
    try:
        return _unfolded(loader.get_single_data(), text), loader.repeated
    finally:
        loader.dispose()


def load_all(text: str | bytes) -> list[Any]:
    """All documents of a file, without the empty ones. Raises ``yaml.YAMLError`` with the place in the file."""
    loader = _Loader(text)
    try:
        documents = []
        while loader.check_data():
            documents.append(loader.get_data())
        return [_unfolded(document, text) for document in documents if document is not None]
    finally:
        loader.dispose()


def _unfolded(document: Any, text: str | bytes) -> Any:
    """A copy in which an anchor's value is no longer one object in several places.

    A few lines of aliases to aliases can stand for more values than memory holds, or for a value that contains itself;
    both are errors, in go-yaml's words. Without aliases a document has no more values than characters.
    """
    left = max(_MOST_VALUES, len(text))
    inside: set[int] = set()

    def copy(value: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise yaml.YAMLError("document contains excessive aliasing")
        if not isinstance(value, dict | list):
            return value
        if id(value) in inside:
            raise yaml.YAMLError("anchor value contains itself")
        inside.add(id(value))
        made = {k: copy(v) for k, v in value.items()} if isinstance(value, dict) else [copy(v) for v in value]
        inside.discard(id(value))
        return made

    try:
        return copy(document)
    except RecursionError as error:
        raise yaml.YAMLError("exceeded max depth") from error
