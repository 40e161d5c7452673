"""From the text of an expression to its tree: recursive descent over CEL's grammar.

Where the compiler points to for each construct is cel-go's choice (``parser/helper.go``): the operator of an operation,
the opening parenthesis of a call, the dot of a selection.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sidings.api.cel import signatures, tree
from sidings.api.cel.errors import CelSyntaxError
from sidings.api.cel.tokens import END, NAME, NUMBER, OPERATOR, STRING, Token, tokens
from sidings.api.cel.tree import Call, Fold, ListOf, Literal, MapOf, Name, Node, Select

DEEPEST = 40
"""Nested parentheses and the like; beyond them Python's own stack would end."""
_RELATIONS = ("==", "!=", "<", "<=", ">", ">=")
_LITERALS = {"true": True, "false": False, "null": None}
MACROS = {
    "all": (1, 2),
    "exists": (1, 2),
    "exists_one": (1,),
    "existsOne": (1, 2),
    "filter": (1,),
    "map": (1,),
    "optMap": (1,),
    "optFlatMap": (1,),
    "transformList": (2,),
    "transformMap": (2,),
    "transformMapEntry": (2,),
}
"""How many variables each macro may have."""
_FILTERED = ("map", "transformList", "transformMap", "transformMapEntry")
"""Macros that take a condition before what they make."""
_KEYWORDS = (
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
    "loop", "package", "namespace", "return", "var", "void", "while",
)  # fmt: skip
_RESERVED = frozenset(_KEYWORDS[4:])
_ESCAPED = {f"__{word}__": word for word in _KEYWORDS} | {
    "__underscores__": "__",
    "__dot__": ".",
    "__dash__": "-",
    "__slash__": "/",
}
_ESCAPE = re.compile("|".join(_ESCAPED))
"""How a rule spells properties that are no identifiers, or are CEL's own words."""
_OPERANDS = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
"""What cel-go's grammar tells of where it wants an operand."""


@lru_cache(maxsize=2048)
def parsed(text: str) -> Node:
    """The tree of an expression. Raises ``CelSyntaxError``."""
    parser = _Parser(text, list(tokens(text)))
    found = parser.ternary()
    parser.expect_end()
    return found


class _Parser:
    def __init__(self, text: str, found: list[Token]) -> None:
        self._text = text
        self._tokens = found
        self._position = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _take(self, *operators: str) -> Token | None:
        """The next token if it is one of ``operators``."""
        token = self._next
        if token.kind == OPERATOR and token.value in operators:
            self._position += 1
            return token
        return None

    def _refuse(self, expected: str) -> CelSyntaxError:
        """What to say of the next token, which is not what was ``expected``."""
        token, shown = self._next, "<EOF>"
        if token.kind != END:
            shown = self._text[token.offset : self._tokens[self._position + 1].offset].strip()
        return CelSyntaxError(f"Syntax error: mismatched input '{shown}' expecting {expected}", token.offset)

    def _expect(self, operator: str) -> None:
        if self._take(operator) is None:
            raise self._refuse(f"'{operator}'")

    def _name(self) -> str:
        token = self._next
        if token.kind != NAME:
            raise self._refuse("IDENTIFIER")
        self._position += 1
        return str(token.value)

    def expect_end(self) -> None:
        if self._next.kind != END:
            raise self._refuse("<EOF>")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise CelSyntaxError("Syntax error: expression is nested too deeply", self._next.offset)

    def ternary(self) -> Node:
        self._deeper()
        result = self._either()
        if question := self._take("?"):
            yes = self._either()
            self._expect(":")
            result = Call(question.offset, tree.CONDITIONAL, None, (result, yes, self.ternary()))
        self._depth -= 1
        return result

    def _either(self) -> Node:
        found = self._both()
        while operator := self._take("||"):
            found = Call(operator.offset, tree.OR, None, (found, self._both()))
        return found

    def _both(self) -> Node:
        found = self._relation()
        while operator := self._take("&&"):
            found = Call(operator.offset, tree.AND, None, (found, self._relation()))
        return found

    def _relation(self) -> Node:
        found = self._sum()
        while True:
            token = self._next
            if operator := self._take(*_RELATIONS):
                found = Call(operator.offset, f"_{operator.value}_", None, (found, self._sum()))
            elif token.kind == NAME and token.value == "in":
                self._position += 1
                found = Call(token.offset, tree.IN, None, (found, self._sum()))
            else:
                return found

    def _sum(self) -> Node:
        found = self._product()
        while operator := self._take("+", "-"):
            found = Call(operator.offset, f"_{operator.value}_", None, (found, self._product()))
        return found

    def _product(self) -> Node:
        found = self._unary()
        while operator := self._take("*", "/", "%"):
            found = Call(operator.offset, f"_{operator.value}_", None, (found, self._unary()))
        return found

    def _unary(self) -> Node:
        operator = self._take("!", "-")
        if operator is None:
            return self._member()
        self._deeper()
        operand = self._unary()
        self._depth -= 1
        if operator.value == "!":
            return Call(operator.offset, tree.NOT, None, (operand,))
        match operand:
            case Literal(value=int() | float() as number) if not isinstance(number, bool):
                return Literal(operator.offset, -number)
        return Call(operator.offset, tree.NEGATE, None, (operand,))

    def _member(self) -> Node:
        found = self._primary()
        while True:
            if dot := self._take("."):
                optional = self._take("?") is not None
                name = self._name()
                opening = None if optional else self._take("(")
                if opening is not None:
                    found = self._method(found, name, opening)
                else:
                    found = Select(dot.offset, found, _property(name), optional=optional)
            elif bracket := self._take("["):
                function = tree.OPTIONAL_INDEX if self._take("?") else tree.INDEX
                key = self.ternary()
                self._expect("]")
                found = Call(bracket.offset, function, None, (found, key))
            else:
                return found

    def _primary(self) -> Node:
        token = self._next
        if self._take("("):
            inner = self.ternary()
            self._expect(")")
            return inner
        if self._take("["):
            return ListOf(token.offset, self._list("]"))
        if self._take("{"):
            return self._map(token.offset)
        if token.kind not in (NUMBER, STRING, NAME) or token.value == "in":
            raise self._refuse(_OPERANDS)
        self._position += 1
        if token.kind != NAME:
            return Literal(token.offset, token.value)
        name = str(token.value)
        if name in _LITERALS:
            return Literal(token.offset, _LITERALS[name])
        if name in _RESERVED:
            raise CelSyntaxError(f"reserved identifier: {name}", token.offset)
        opening = self._take("(")
        if opening is None:
            return Name(token.offset, name)
        arguments = self._list(")")
        if name == "has":
            return _presence(opening, arguments)
        return Call(opening.offset, name, None, arguments)

    def _list(self, end: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._take(end):
            if items:
                self._expect(",")
                if self._take(end):  # a comma may end a list
                    break
            items.append(self.ternary())
        return tuple(items)

    def _map(self, offset: int) -> Node:
        pairs: list[tuple[Node, Node]] = []
        while not self._take("}"):
            if pairs:
                self._expect(",")
            key = self.ternary()
            self._expect(":")
            pairs.append((key, self.ternary()))
        return MapOf(offset, tuple(pairs))

    def _method(self, target: Node, name: str, opening: Token) -> Node:
        arguments = self._list(")")
        if isinstance(target, Name) and (whole := signatures.qualified(target.name, name)):
            return Call(opening.offset, whole, None, arguments)
        if name not in MACROS:
            return Call(opening.offset, name, target, arguments)
        return _fold(target, name, opening.offset, arguments)


def _presence(opening: Token, arguments: tuple[Node, ...]) -> Node:
    """``has(a.b)``: the last selection is a question."""
    match arguments:
        case [Select(asks=False, optional=False) as asked]:
            return Select(opening.offset, asked.operand, asked.field, asks=True)
    raise CelSyntaxError("invalid argument to has() macro", opening.offset)


def _fold(target: Node, macro: str, offset: int, arguments: tuple[Node, ...]) -> Node:
    """The macro where the arguments are those of one, else a method of that name, which the checker will not know."""
    for variables in reversed(MACROS[macro]):
        rest = arguments[variables:]
        if len(rest) != 1 and not (len(rest) == 2 and macro in _FILTERED):
            continue
        names = [node.name for node in arguments[:variables] if isinstance(node, Name)]
        if len(names) < variables:
            raise CelSyntaxError("argument must be a simple name", arguments[0].offset)
        *chosen, body = rest
        # The one with a variable for the key may be spelled either way.
        name = "exists_one" if macro == "existsOne" else macro
        return Fold(offset, name, target, tuple(names), chosen[0] if chosen else None, body)
    return Call(offset, macro, target, arguments)


def _property(name: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED[found[0]], name) if "__" in name else name
