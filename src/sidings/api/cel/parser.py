"""From the text of an expression to a closure that answers it.

Recursive descent over CEL's grammar; every rule returns a function of the variables in scope. Closures are called some
ten thousand times a second without a look at the text again, and a syntax tree that nobody else reads need not exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sidings.api.cel import operations, optionals, texts, units
from sidings.api.cel.errors import CelSyntaxError, CostExceeded, EvaluationError
from sidings.api.cel.tokens import END, NAME, NUMBER, OPERATOR, STRING, Token, tokens

Scope = Mapping[str, Any]
Evaluate = Callable[[Scope], Any]

DEEPEST = 40
"""Nested parentheses and the like; beyond them Python's own stack would end."""
_RELATIONS = ("==", "!=", "<", "<=", ">", ">=")
_LITERALS = {"true": True, "false": False, "null": None}
MACROS = ("all", "exists", "exists_one", "filter", "map", "optMap")
FUNCTIONS = {**operations.FUNCTIONS, **texts.FUNCTIONS, **units.FUNCTIONS, **optionals.FUNCTIONS}
_CONSTANTS = {**operations.TYPES, texts.SETS: texts.SETS, optionals.NAMESPACE: optionals.NAMESPACE}
"""Names that mean something without being declared: types, and what stands before the dot of some functions."""
_KEYWORDS = (
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
    "loop", "package", "namespace", "return", "var", "void", "while",
)  # fmt: skip
_ESCAPED = {f"__{word}__": word for word in _KEYWORDS} | {
    "__underscores__": "__",
    "__dot__": ".",
    "__dash__": "-",
    "__slash__": "/",
}
_ESCAPE = re.compile("|".join(_ESCAPED))
"""How a rule spells properties that are no identifiers, or are CEL's own words."""


@lru_cache(maxsize=2048)
def compiled(text: str) -> Evaluate:
    """The closure of an expression. Raises ``CelSyntaxError``."""
    parser = _Parser(list(tokens(text)))
    found = parser.ternary()
    parser.expect_end()
    return found


def names_in(text: str) -> frozenset[str]:
    """All words of an expression: whether it speaks of ``oldSelf``, for one."""
    return frozenset(token.value for token in tokens(text) if token.kind == NAME)


BUDGET = "<budget>"
"""Where a scope has its ``Budget``; no variable can be called so."""


class Budget:
    """How many items the macros of all rules of an object may go through, nested ones multiplied."""

    def __init__(self, items: int) -> None:
        self._left = items

    @property
    def is_spent(self) -> bool:
        return self._left < 0

    def take(self, items: int) -> None:
        self._left -= items
        if self._left < 0:
            raise CostExceeded("operation cancelled: actual cost limit exceeded")


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._position = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _take(self, *operators: str) -> str:
        """The next token's operator if it is one of ``operators``, else ``""``."""
        token = self._next
        if token.kind == OPERATOR and token.value in operators:
            self._position += 1
            return str(token.value)
        return ""

    def _expect(self, operator: str) -> None:
        if not self._take(operator):
            raise CelSyntaxError(f"expected {operator!r} at offset {self._next.offset}")

    def _name(self) -> str:
        token = self._next
        if token.kind != NAME:
            raise CelSyntaxError(f"expected a name at offset {token.offset}")
        self._position += 1
        return str(token.value)

    def expect_end(self) -> None:
        if self._next.kind != END:
            raise CelSyntaxError(f"unexpected {self._next.value!r} at offset {self._next.offset}")

    def ternary(self) -> Evaluate:
        self._depth += 1
        if self._depth > DEEPEST:
            raise CelSyntaxError("expression is nested too deeply")
        condition = self._either()
        if self._take("?"):
            yes = self.ternary()
            self._expect(":")
            no = self.ternary()
            result: Evaluate = lambda scope: yes(scope) if operations.truth(condition(scope)) else no(scope)  # noqa: E731
        else:
            result = condition
        self._depth -= 1
        return result

    def _either(self) -> Evaluate:
        found = self._both()
        while self._take("||"):
            found = _absorbing(found, self._both(), decisive=True)
        return found

    def _both(self) -> Evaluate:
        found = self._relation()
        while self._take("&&"):
            found = _absorbing(found, self._relation(), decisive=False)
        return found

    def _relation(self) -> Evaluate:
        found = self._sum()
        while True:
            operator = self._take(*_RELATIONS)
            if not operator and self._next.kind == NAME and self._next.value == "in":
                self._position += 1
                operator = "in"
            if not operator:
                return found
            found = _binary(operations.compare, operator, found, self._sum())

    def _sum(self) -> Evaluate:
        found = self._product()
        while operator := self._take("+", "-"):
            found = _binary(operations.arithmetic, operator, found, self._product())
        return found

    def _product(self) -> Evaluate:
        found = self._unary()
        while operator := self._take("*", "/", "%"):
            found = _binary(operations.arithmetic, operator, found, self._unary())
        return found

    def _unary(self) -> Evaluate:
        operator = self._take("!", "-")
        if not operator:
            return self._member()
        self._depth += 1
        if self._depth > DEEPEST:
            raise CelSyntaxError("expression is nested too deeply")
        operand = self._unary()
        self._depth -= 1
        if operator == "!":
            return lambda scope: not operations.truth(operand(scope))
        return lambda scope: operations.negative(operand(scope))

    def _member(self) -> Evaluate:
        found = self._primary()
        while True:
            if self._take("."):
                optional = bool(self._take("?"))
                name = self._name()
                if not optional and self._take("("):
                    found = self._method(found, name)
                else:
                    found = _optional(found, _property(name)) if optional else _field(found, _property(name))
            elif self._take("["):
                optional = bool(self._take("?"))
                key = self.ternary()
                self._expect("]")
                found = _optional_index(found, key) if optional else _index(found, key)
            else:
                return found

    def _primary(self) -> Evaluate:
        token = self._next
        if self._take("("):
            inner = self.ternary()
            self._expect(")")
            return inner
        if self._take("["):
            items = self._list("]")
            return lambda scope: [item(scope) for item in items]
        if self._take("{"):
            return self._map()
        self._position += 1
        if token.kind in (NUMBER, STRING):
            value = token.value
            return lambda scope: value
        if token.kind != NAME:
            raise CelSyntaxError(f"unexpected {token.value or 'end'!r} at offset {token.offset}")
        name = str(token.value)
        if name in _LITERALS:
            literal = _LITERALS[name]
            return lambda scope: literal
        if not self._take("("):
            return _variable(name)
        if name == "has":
            return self._has(token.offset)
        return _call(name, self._list(")"), token.offset)

    def _list(self, end: str) -> list[Evaluate]:
        items: list[Evaluate] = []
        while not self._take(end):
            if items:
                self._expect(",")
            items.append(self.ternary())
        return items

    def _map(self) -> Evaluate:
        pairs: list[tuple[Evaluate, Evaluate]] = []
        while not self._take("}"):
            if pairs:
                self._expect(",")
            key = self.ternary()
            self._expect(":")
            pairs.append((key, self.ternary()))
        return lambda scope: {key(scope): value(scope) for key, value in pairs}

    def _has(self, offset: int) -> Evaluate:
        """``has(a.b)``: the last selection is a question. The grammar of the argument is that of a member."""
        start = self._position
        self._member()
        end = self._position
        self._expect(")")
        if end - start < 3 or self._tokens[end - 1].kind != NAME or self._tokens[end - 2].value != ".":
            raise CelSyntaxError(f"has() at offset {offset} needs a field selection")
        name = _property(str(self._tokens[end - 1].value))
        operand = _Parser([*self._tokens[start : end - 2], Token(END, "", offset)])
        holder = operand.ternary()
        operand.expect_end()

        def present(scope: Scope) -> bool:
            value = holder(scope)
            if isinstance(value, optionals.Optional):
                return optionals.select(value, name).present
            if not isinstance(value, dict):
                raise EvaluationError("no such overload")
            return name in value

        return present

    def _method(self, target: Evaluate, name: str) -> Evaluate:
        offset = self._next.offset
        if name not in MACROS:
            return _call(name, [target, *self._list(")")], offset)
        variable = self._name()
        self._expect(",")
        body = self.ternary()
        if name == "map" and self._take(","):
            target, body = _macro("filter", target, variable, body), self.ternary()
        self._expect(")")
        return _macro(name, target, variable, body)


def _variable(name: str) -> Evaluate:
    def look_up(scope: Scope) -> Any:
        if name in scope:
            return scope[name]
        try:
            return _CONSTANTS[name]
        except KeyError:
            raise EvaluationError(f"undeclared reference to '{name}'") from None

    return look_up


def _property(name: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED[found[0]], name) if "__" in name else name


def _optional(target: Evaluate, name: str) -> Evaluate:
    return lambda scope: optionals.select(target(scope), name)


def _optional_index(target: Evaluate, key: Evaluate) -> Evaluate:
    return lambda scope: optionals.select(target(scope), key(scope))


def _field(target: Evaluate, name: str) -> Evaluate:
    return lambda scope: operations.field(target(scope), name)


def _index(target: Evaluate, key: Evaluate) -> Evaluate:
    return lambda scope: operations.index(target(scope), key(scope))


def _binary(apply: Callable[[str, Any, Any], Any], operator: str, left: Evaluate, right: Evaluate) -> Evaluate:
    return lambda scope: apply(operator, left(scope), right(scope))


def _absorbing(left: Evaluate, right: Evaluate, *, decisive: bool) -> Evaluate:
    """``||`` and ``&&``: one side that decides makes up for an error of the other, whichever comes first."""

    def evaluate(scope: Scope) -> bool:
        try:
            first = operations.truth(left(scope))
        except EvaluationError:
            if operations.truth(right(scope)) is decisive:
                return decisive
            raise
        return decisive if first is decisive else operations.truth(right(scope))

    return evaluate


def _call(name: str, arguments: list[Evaluate], offset: int) -> Evaluate:
    function = FUNCTIONS.get((name, len(arguments)))
    if function is None:
        raise CelSyntaxError(f"undeclared reference to '{name}' with {len(arguments)} argument(s) at offset {offset}")
    return lambda scope: function(*[argument(scope) for argument in arguments])


def _mapped_optional(target: Evaluate, variable: str, body: Evaluate) -> Evaluate:
    def mapped(scope: Scope) -> optionals.Optional:
        given = target(scope)
        if not isinstance(given, optionals.Optional):
            raise EvaluationError("no such overload")
        return optionals.Optional(True, body({**scope, variable: given.value})) if given.present else given

    return mapped


def _macro(name: str, target: Evaluate, variable: str, body: Evaluate) -> Evaluate:
    def items(scope: Scope) -> list[tuple[Any, Scope]]:
        value = target(scope)
        if not isinstance(value, list | dict):
            raise EvaluationError("no such overload")
        if BUDGET in scope:
            scope[BUDGET].take(len(value))
        return [(item, {**scope, variable: item}) for item in value]

    def true_for(scope: Scope) -> bool:
        return operations.truth(body(scope))

    if name == "optMap":
        return _mapped_optional(target, variable, body)
    if name == "map":
        return lambda scope: [body(inner) for _, inner in items(scope)]
    if name == "filter":
        return lambda scope: [item for item, inner in items(scope) if true_for(inner)]
    if name == "exists_one":
        return lambda scope: sum(true_for(inner) for _, inner in items(scope)) == 1
    decisive = name == "exists"

    def quantified(scope: Scope) -> bool:
        failure: EvaluationError | None = None
        for _, inner in items(scope):
            try:
                if true_for(inner) is decisive:
                    return decisive
            except EvaluationError as error:
                failure = error
        if failure is not None:
            raise failure
        return not decisive

    return quantified
