"""The field numbers of the messages that clients send: ``data/protobuf.json``.

The file maps ``apiVersion/kind`` to a message and a message's field numbers to ``name type``. Types are

* ``string``, ``bool``, ``int``, ``bytes``, ``Time``, ``MicroTime``, ``Quantity``, ``IntOrString``, ``JSON`` (a raw
  extension) or the name of another message;
* ``[]`` before it is a list, ``{}`` a map with string keys;
* ``?`` behind it: its zero value is a value (a Go pointer, or a required number). Any other scalar is written even when
  it is unset, so its zero value means absent;
* the name ``+`` is an embedded struct, whose fields belong to the message around it.

Numbers are those of the ``generated.proto`` files of ``k8s.io/api`` and ``k8s.io/apimachinery`` (v0.37); tests check
the names against the schemas, and the numbers against bytes that kubectl has sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple


class Field(NamedTuple):
    name: str
    type: str
    repeated: bool
    keyed: bool
    pointer: bool

    @property
    def embedded(self) -> bool:
        return self.name == "+"


Message = Mapping[int, Field]


class Table(NamedTuple):
    kinds: Mapping[str, str]
    messages: Mapping[str, Message]


@cache
def load() -> Table:
    packed = (resources.files("sidings.api") / "data" / "protobuf.json").read_bytes()
    content = json.loads(packed)
    return Table(
        content["kinds"],
        {
            name: {int(number): _field(text) for number, text in fields.items()}
            for name, fields in content["messages"].items()
        },
    )


def _field(text: str) -> Field:
    name, type_ = text.split(" ")
    return Field(
        name,
        type_.removeprefix("[]").removeprefix("{}").removesuffix("?"),
        repeated=type_.startswith("[]"),
        keyed=type_.startswith("{}"),
        pointer=type_.endswith("?"),
    )
