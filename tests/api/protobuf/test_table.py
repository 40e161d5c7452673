import pytest

from sidings.api import schemas
from sidings.api.protobuf import decoding
from sidings.api.protobuf.table import Message, Table, load

NOT_SENT = {"status", "managedFields"}
"""Fields that no command of a client sets."""

TYPES = {"string", "bool", "int", "bytes", "Time", "MicroTime", "Quantity", "IntOrString", "JSON"}


def names(message: Message) -> set[str]:
    """All field names, those of embedded structs included."""
    found: set[str] = set()
    for field in message.values():
        found |= names(load().messages[field.type]) if field.embedded else {field.name}
    return found


def reachable(table: Table) -> set[str]:
    todo, found = list(table.kinds.values()), set(TYPES)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [field.type for field in table.messages[name].values()]
    return found - TYPES


def test_every_message_is_reached_and_every_type_is_known() -> None:
    assert reachable(load()) == load().messages.keys()
    assert decoding._SCALARS.keys() == TYPES


def test_no_name_occurs_twice_in_a_message() -> None:
    for name, message in load().messages.items():
        plain = [field.name for field in message.values() if not field.embedded]
        assert len(plain) == len(set(plain)), name


SHARED = sorted(
    name.rpartition(".")[2]
    for name in schemas.definitions()
    if name.startswith(("io.k8s.api.core.v1.", "io.k8s.api.batch.v1.", "io.k8s.apimachinery."))
    and name.rpartition(".")[2] in load().messages
)


@pytest.mark.parametrize("name", SHARED)
def test_a_message_has_the_fields_of_its_schema(name: str) -> None:
    (definition,) = [
        schemas.definitions()[full]
        for full in schemas.definitions()
        if full.startswith(("io.k8s.api.core.v1.", "io.k8s.api.batch.v1.", "io.k8s.apimachinery."))
        and full.endswith(f".{name}")
    ]
    described = set(definition["properties"]) - {"apiVersion", "kind"}
    written = names(load().messages[name])
    assert described - written <= NOT_SENT
