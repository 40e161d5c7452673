"""The query of a URL, read as kube-apiserver reads it.

Flags come as ``true``, ``True`` and ``1``; of a repeated parameter the first counts; unknown ones (``timeout``,
``pretty``) mean nothing. The words of a ``command`` are the one parameter that is meant to be repeated.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from sidings.api.status import BadRequest


class Query:
    """The parameters of one request."""

    __slots__ = ("_raw", "_values")

    def __init__(self, raw: bytes = b"") -> None:
        self._raw = raw
        self._values: dict[str, str] = {}
        if raw:
            for name, value in parse_qsl(raw.decode("latin-1"), keep_blank_values=True):
                self._values.setdefault(name, value)

    def text(self, name: str) -> str:
        return self._values.get(name, "")

    def texts(self, name: str) -> tuple[str, ...]:
        """Every value of ``name``, in order."""
        pairs = parse_qsl(self._raw.decode("latin-1"), keep_blank_values=True)
        return tuple(value for each, value in pairs if each == name)

    def flag(self, name: str) -> bool:
        """Anything but ``""``, ``0`` and ``false`` is true (apimachinery ``Convert_Slice_string_To_bool``)."""
        return name in self._values and self._values[name].lower() not in ("0", "false")

    def integer(self, name: str) -> int | None:
        """None where it is absent or empty. Raises BadRequest in Go's words for what is no number."""
        text = self._values.get(name, "")
        if not text:
            return None
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdecimal()):
            raise BadRequest(f'strconv.ParseInt: parsing "{text}": invalid syntax')
        return int(text)
