"""From a pattern to a tree, by the grammar and with the errors of Go's ``regexp/syntax`` (Go 1.26, flags of Perl).

Of Unicode's classes general categories are known, scripts are not. Captures are groups like others here: nobody asks
what they held.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, replace

from sidings.api.go_regexp import classes
from sidings.api.go_regexp.classes import CharSet

MOST_REPEATS = 1000
DEEPEST = 100
"""Groups within groups; Go allows a thousand."""
_ESCAPED = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FLAGS = "imsU"
_OCTAL = frozenset(string.octdigits)


class PatternError(ValueError):
    """A pattern that gives no answer: ``InvalidPattern``, or ``automaton.TooMuchWork``."""


class InvalidPattern(PatternError):
    """Go would not compile the pattern; the message is Go's."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"error parsing regexp: {what}" + (f": `{where}`" if where else ""))


@dataclass(frozen=True)
class Char:
    """One character of ``of``."""

    of: CharSet


@dataclass(frozen=True)
class Edge:
    """A place and no character: ``\\A``, ``\\z``, ``^`` and ``$`` of lines, ``\\b``, ``\\B``."""

    kind: str


@dataclass(frozen=True)
class Sequence:
    parts: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Choice:
    """The first alternative is preferred, and so on."""

    of: tuple[Tree, ...]


@dataclass(frozen=True)
class Repeat:
    """``most`` is None where there is no end. As often as possible, or, where it is ``lazy``, as seldom."""

    what: Tree
    least: int
    most: int | None
    lazy: bool = False


Tree = Char | Edge | Sequence | Choice | Repeat


def parse(pattern: str) -> Tree:
    """Raises ``InvalidPattern``."""
    parser = _Parser(pattern)
    tree = parser.choice()
    if parser.rest():
        raise InvalidPattern("unexpected )", pattern)
    return tree


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._flags: frozenset[str] = frozenset()
        self._depth = 0

    def rest(self) -> str:
        return self._pattern[self._at :]

    def choice(self) -> Tree:
        """Alternatives, up to the end or to a closing parenthesis."""
        found = [self._sequence()]
        while self._take("|"):
            found.append(self._sequence())
        return found[0] if len(found) == 1 else Choice(tuple(found))

    def _sequence(self) -> Tree:
        parts: list[Tree] = []
        while (rest := self.rest()) and rest[0] not in "|)":
            if self._take("\\Q"):
                parts += self._quoted()
                continue
            atom = self._atom()
            if atom is not None:
                parts.append(self._repeated(atom))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _quoted(self) -> list[Tree]:
        """Characters up to ``\\E``; what is repeated afterwards is the last of them."""
        quoted = self.rest().partition("\\E")[0]
        self._at += len(quoted)
        self._take("\\E")
        found: list[Tree] = [self._literal(char) for char in quoted]
        return [*found[:-1], self._repeated(found[-1])] if found else []

    def _take(self, text: str) -> bool:
        if self._pattern.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _next(self) -> str:
        char = self._pattern[self._at]
        self._at += 1
        return char

    def _atom(self) -> Tree | None:
        """One item without its repetition; None where flags were set."""
        start = self._at
        char = self._next()
        match char:
            case "(":
                return self._group(start)
            case "[":
                return Char(self._bracket(start))
            case ".":
                return Char(classes.ANY if "s" in self._flags else classes.NOT_LINE_FEED)
            case "^":
                return Edge("line start" if "m" in self._flags else "start")
            case "$":
                return Edge("line end" if "m" in self._flags else "end")
            case "*" | "+" | "?":
                raise InvalidPattern("missing argument to repetition operator", char)
            case "\\":
                return self._escape(start)
        return self._literal(char)

    def _literal(self, char: str) -> Char:
        return Char(classes.of_chars(char, folds="i" in self._flags))

    # Repetitions.

    def _repeated(self, atom: Tree) -> Tree:
        start = self._at
        bounds = self._bounds()
        if bounds is None:
            return atom
        lazy = self._take("?") is not ("U" in self._flags)
        again = self._at
        if self._bounds() is not None:
            self._take("?")
            raise InvalidPattern("invalid nested repetition operator", self._pattern[start : self._at])
        self._at = again
        least, most = bounds
        if least > MOST_REPEATS or (most is not None and (most > MOST_REPEATS or least > most)):
            raise InvalidPattern("invalid repeat count", self._pattern[start:again].removesuffix("?"))
        found = Repeat(atom, least, most, lazy)
        if max(least, most or 0) > 1 and _times(found) > MOST_REPEATS:
            raise InvalidPattern("invalid repeat count", self._pattern[start:again])
        return found

    def _bounds(self) -> tuple[int, int | None] | None:
        """How often the item before is wanted; braces that are no bounds are characters like others."""
        for operator, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(operator):
                return bounds
        text, brace, _ = self.rest().partition("}")
        least, comma, most = text[1:].partition(",")
        if not text.startswith("{") or not brace or not _is_number(least) or not (most == "" or _is_number(most)):
            return None
        self._at += len(text) + 1
        return int(least), (int(most) if most else None) if comma else int(least)

    # Groups and flags.

    def _group(self, start: int) -> Tree | None:
        flags = self._flags
        if self._take("?"):
            if self._take("P<") or self._take("<"):
                self._name(start)
            elif not self._set_flags(start):
                return None
        self._depth += 1
        if self._depth > DEEPEST:
            raise InvalidPattern("expression nests too deeply", self._pattern)
        tree = self.choice()
        self._depth -= 1
        if not self._take(")"):
            raise InvalidPattern("missing closing )", self._pattern)
        self._flags = flags
        return tree

    def _name(self, start: int) -> None:
        name, closing, _ = self.rest().partition(">")
        if not closing:
            raise InvalidPattern("invalid named capture", self._pattern[start:])
        self._at += len(name) + 1
        if not name or not all(char == "_" or (char.isascii() and char.isalnum()) for char in name):
            raise InvalidPattern("invalid named capture", self._pattern[start : self._at])

    def _set_flags(self, start: int) -> bool:
        """Reads ``i-s:`` or ``i-s)``; whether a group follows. Else the flags hold to the end of the group around."""
        flags, on, any_flag = set(self._flags), True, False
        while self.rest():
            char = self._next()
            if char in _FLAGS:
                any_flag = True
                (flags.add if on else flags.discard)(char)
            elif char == "-" and on:
                on, any_flag = False, False
            elif char in ":)" and (on or any_flag):
                self._flags = frozenset(flags)
                return char == ":"
            else:
                raise InvalidPattern("invalid or unsupported Perl syntax", self._pattern[start : self._at])
        raise InvalidPattern("missing closing )", self._pattern)

    # Escapes and classes.

    def _escape(self, start: int) -> Tree:
        edges = {"A": "start", "z": "end", "b": "word edge", "B": "no word edge"}
        if (kind := edges.get(self.rest()[:1])) is not None:
            self._at += 1
            return Edge(kind)
        known = self._class_escape(start)
        return Char(known) if known is not None else self._literal(self._escaped_char(start))

    def _class_escape(self, start: int) -> CharSet | None:
        """``\\d`` and its like, ``\\pL``, ``\\P{Lu}``; the backslash is read."""
        letter = self.rest()[:1]
        folds = "i" in self._flags
        if letter and letter in "dwsDWS":
            self._at += 1
            return CharSet(classes.PERL[letter.lower()], negated=letter.isupper())
        if not letter or letter not in "pP":
            return None
        self._at += 1
        if self._take("{"):
            name, closing, _ = self.rest().partition("}")
            self._at += len(name) + 1
            if not closing:
                raise InvalidPattern("invalid character class range", self._pattern[start:])
        else:
            name = self.rest()[:1]
            self._at += 1
        negated = (letter == "P") is not name.startswith("^")
        name = name.removeprefix("^")
        if name == "Any":
            return CharSet(((0, classes.HIGHEST),), negated=negated)
        if name not in classes.CATEGORIES:
            raise InvalidPattern("invalid character class range", self._pattern[start : self._at])
        return CharSet(categories=(name,), negated=negated, folds=folds)

    def _escaped_char(self, start: int) -> str:
        """The character that an escape stands for; the backslash is read."""
        if not self.rest():
            raise InvalidPattern("trailing backslash at end of expression")
        char = self._next()
        if char in _ESCAPED:
            return _ESCAPED[char]
        if char == "x":
            return self._hexadecimal(start)
        if char in _OCTAL and (char == "0" or self.rest()[:1] in _OCTAL):
            digits = char
            while len(digits) < 3 and self.rest()[:1] in _OCTAL:
                digits += self._next()
            return chr(int(digits, 8))
        if char.isascii() and not char.isalnum():
            return char
        raise InvalidPattern("invalid escape sequence", self._pattern[start : self._at])

    def _hexadecimal(self, start: int) -> str:
        if self._take("{"):
            digits, closing, _ = self.rest().partition("}")
            self._at += len(digits) + len(closing)
            good = bool(closing and digits)
        else:
            digits = self.rest()[:2]
            self._at += len(digits)
            good = len(digits) == 2
        if not good or any(digit not in string.hexdigits for digit in digits) or int(digits, 16) > classes.HIGHEST:
            raise InvalidPattern("invalid escape sequence", self._pattern[start : self._at])
        return chr(int(digits, 16))

    def _bracket(self, start: int) -> CharSet:
        negated = self._take("^")
        parts: list[CharSet] = []
        while not parts or not self._take("]"):  # a bracket that comes first is a character like others
            if not self.rest():
                raise InvalidPattern("missing closing ]", self._pattern[start:])
            parts.append(self._bracket_item(start))
        return classes.union(parts, negated=negated, folds="i" in self._flags)

    def _bracket_item(self, start: int) -> CharSet:
        item = self._at
        if self._take("[:"):
            name, closing, _ = self.rest().partition(":]")
            if closing:
                self._at += len(name) + 2
                if name.removeprefix("^") not in classes.POSIX:
                    raise InvalidPattern("invalid character class range", self._pattern[item : self._at])
                return CharSet(classes.POSIX[name.removeprefix("^")], negated=name.startswith("^"))
            self._at = item
        if self._take("\\"):
            known = self._class_escape(item)
            if known is not None:
                return known
            low = self._escaped_char(item)
        else:
            low = self._next()
        if not self.rest().startswith("-") or self.rest().startswith("-]"):
            return classes.of_chars(low)
        self._at += 1
        if not self.rest():
            raise InvalidPattern("missing closing ]", self._pattern[start:])
        high = self._escaped_char(self._at - 1) if self._take("\\") else self._next()
        if high < low:
            raise InvalidPattern("invalid character class range", self._pattern[item : self._at])
        return CharSet(((ord(low), ord(high)),))


def _times(tree: Tree) -> int:
    """How often a part of ``tree`` is wanted at most, counted through repetitions within repetitions."""
    match tree:
        case Sequence(parts) | Choice(parts):
            return max(map(_times, parts), default=1)
        case Repeat():
            most = tree.least if tree.most is None else tree.most
            return most * _times(tree.what) if most else 1
    return 1


def reversed_(tree: Tree) -> Tree:
    """What finds in a text that is read backwards what ``tree`` finds in the text."""
    match tree:
        case Edge():
            return Edge(_REVERSED.get(tree.kind, tree.kind))
        case Sequence():
            return Sequence(tuple(reversed_(part) for part in reversed(tree.parts)))
        case Choice():
            return Choice(tuple(map(reversed_, tree.of)))
        case Repeat():
            return replace(tree, what=reversed_(tree.what))
    return tree


_REVERSED = {"start": "end", "end": "start", "line start": "line end", "line end": "line start"}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or not text.startswith("0"))
