"""Whatever the expression, it is refused with a place or answered: no other exception, of the reader, the checker, the
estimate or the program, and what the checker lets through fails for a reason of its values alone."""

import random
from collections import Counter

import pytest

from sidings.api.cel import checker, cost, signatures
from sidings.api.cel.errors import CelSyntaxError, EvaluationError, shown
from sidings.api.cel.parser import MACROS, parsed
from sidings.api.cel.program import FUNCTIONS, compiled
from sidings.api.cel.types import of_schema
from sidings.api.definition.expressions import errors

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "f": {"type": "number"},
        "s": {"type": "string"},
        "b": {"type": "boolean"},
        "t": {"type": "string", "format": "date-time"},
        "x": {"x-kubernetes-int-or-string": True},
        "m": {"type": "object", "additionalProperties": {"type": "string"}},
        "l": {"type": "array", "items": {"type": "string"}},
        "o": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    },
}
VALUES = (
    {},
    {"n": 3, "f": 0.5, "s": "a-1", "b": True, "x": "http", "m": {"a": "1"}, "l": ["b", "a"], "o": [{"n": 1}, {}]},
    {"n": -(1 << 63), "f": float("inf"), "s": "", "b": False, "x": 80, "m": {}, "l": [], "o": []},
)
LEAVES = (
    "self.n", "self.f", "self.s", "self.b", "self.x", "self.m", "self.l", "self.o", "self", "oldSelf", "1", "-1", "0",
    "1.5", "'a'", "'['", "'%s %d'", "'10.0.0.0/8'", "'1Gi'", "'1h'", "'2026-01-01T00:00:00Z'", "'1.2.3'", "true",
    "null", "[]", "{}", "[1]", "['a']", "{'a': 1}", "self.?n", "self.m[?'a']", "optional.none()", "v", "int",
    "9223372036854775807", "nope",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in")
SOUP = (*LEAVES, *OPERATORS, "(", ")", "[", "]", "{", "}", ",", ".", "?", ":", "!", "-", "has", "all", "\n", "#", "'")
FUNCTION_NAMES = sorted({name for name, _ in FUNCTIONS})


def expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(LEAVES)

    def inner() -> str:
        return expression(rng, depth - 1)

    match rng.randrange(8):
        case 0 | 1:
            return f"({inner()} {rng.choice(OPERATORS)} {inner()})"
        case 2:
            return f"({inner()} ? {inner()} : {inner()})"
        case 3:
            macro = rng.choice(sorted(MACROS))
            variables = ", ".join("vw"[: rng.choice(MACROS[macro])])
            return f"{inner()}.{macro}({variables}, {inner()})"
        case 4:
            return f"{inner()}[{inner()}]"
        case 5:
            return rng.choice((f"!{inner()}", f"-{inner()}", f"has({inner()}.n)", f"[{inner()}, {inner()}]"))
    name = rng.choice(FUNCTION_NAMES)
    count = len(rng.choice(signatures.overloads()[name]).operands)
    operands = [inner() for _ in range(count)]
    if "." not in name and count and rng.random() < 0.8:
        return f"{operands[0]}.{name}({', '.join(operands[1:])})"
    return f"{name}({', '.join(operands)})"


def outcome(text: str) -> str:
    type_ = of_schema(SCHEMA)
    assert type_ is not None
    try:
        node = parsed(text)
    except CelSyntaxError as error:
        assert shown(text, [error.issue])
        return "unreadable"
    found = checker.check(node, {"self": type_, "oldSelf": type_})
    if found.issues:
        assert shown(text, found.issues)
        return "refused"
    assert 0 <= cost.worst(node, found) <= cost.UNBOUNDED
    result = "answered"
    for value in VALUES:
        try:
            compiled(text)({"self": value, "oldSelf": value})
        except EvaluationError:
            result = "failed"
    return result


@pytest.mark.parametrize("seed", range(4))
def test_expressions_that_can_be_read(seed: int) -> None:
    rng = random.Random(seed)
    seen = Counter(outcome(expression(rng, rng.randrange(1, 4))) for _ in range(1500))
    assert {"refused", "answered", "failed"} <= set(seen), seen


def test_soup() -> None:
    rng = random.Random(7)
    texts = [" ".join(rng.choice(SOUP) for _ in range(rng.randrange(1, 9))) for _ in range(2000)]
    seen = Counter(map(outcome, texts))
    assert seen["unreadable"] > seen["answered"] > 0


def test_definitions_with_any_of_them_are_judged() -> None:
    rng = random.Random(11)
    for _ in range(300):
        rule = {"rule": expression(rng, 3), "messageExpression": expression(rng, 2)}
        list(errors({**SCHEMA, "x-kubernetes-validations": [rule]}, "root"))
