"""Which functions there are for which types: CEL's own, and the libraries that Kubernetes adds to it.

As ``k8s.io/apiserver/pkg/cel/environment/base.go`` gives them to custom resources at v1.36 (whose rules must compile
at 1.35 as well): cel-go's standard library, strings (version 2), sets and two-variable comprehensions, comparisons of
``int`` with ``double``; Kubernetes' URLs, regular expressions, lists, quantities, addresses, formats and versions.
Left out is ``image()``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from sidings.api.cel.types import Type

FORMATS = (
    "dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix",
    "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime",
)  # fmt: skip

_TABLE = f"""
_?_:_ = (bool, A, A) A
_&&_ _||_ = (bool, bool) bool
!_ = (bool) bool
-_ = (T) T for T in int double
_==_ _!=_ = (A, A) bool
_<_ _<=_ _>_ _>=_ = (T, T) bool for T in bool int double string bytes timestamp duration
_<_ _<=_ _>_ _>=_ = (int, double) bool
_<_ _<=_ _>_ _>=_ = (double, int) bool
_+_ = (T, T) T for T in int double string bytes list(A) duration
_+_ = (timestamp, duration) timestamp
_+_ = (duration, timestamp) timestamp
_-_ = (T, T) T for T in int double duration
_-_ = (timestamp, timestamp) duration
_-_ = (timestamp, duration) timestamp
_*_ _/_ = (T, T) T for T in int double
_%_ = (int, int) int
@in = (A, T) bool for T in list(A) map(A,B)
_[_] = (list(A), int) A
_[_] = (map(A, B), A) B
_[_] _[?_] = (optional_type(list(A)), int) optional_type(A)
_[_] _[?_] = (optional_type(map(A, B)), A) optional_type(B)
_[?_] = (list(A), int) optional_type(A)
_[?_] = (map(A, B), A) optional_type(B)
size .size = (T) int for T in string bytes list(A) map(A,B)
type = (A) type
dyn = (A) dyn
int = (T) int for T in int double string timestamp
double = (T) double for T in double int string
string = (T) string for T in string bool int double bytes timestamp duration net.IP net.CIDR
bool = (T) bool for T in bool string
bytes = (T) bytes for T in bytes string
duration = (T) duration for T in duration string
timestamp = (T) timestamp for T in timestamp string int
.contains .startsWith .endsWith .matches matches = (string, string) bool
.getFullYear .getMonth .getDayOfYear .getDate .getDayOfMonth .getDayOfWeek = (timestamp) int
.getFullYear .getMonth .getDayOfYear .getDate .getDayOfMonth .getDayOfWeek = (timestamp, string) int
.getHours .getMinutes .getSeconds .getMilliseconds = (T) int for T in timestamp duration
.getHours .getMinutes .getSeconds .getMilliseconds = (timestamp, string) int
.charAt = (string, int) string
.indexOf .lastIndexOf = (string, string) int
.indexOf .lastIndexOf = (string, string, int) int
.indexOf .lastIndexOf = (list(A), A) int
.join = (list(string)) string
.join = (list(string), string) string
.lowerAscii .upperAscii .trim = (string) string
.replace = (string, string, string) string
.replace = (string, string, string, int) string
.split = (string, string) list(string)
.split = (string, string, int) list(string)
.substring = (string, int) string
.substring = (string, int, int) string
.format = (string, list(dyn)) string
strings.quote = (string) string
.find = (string, string) string
.findAll = (string, string) list(string)
.findAll = (string, string, int) list(string)
.isSorted = (list(T)) bool for T in int double bool duration timestamp string bytes
.sum = (list(T)) T for T in int double duration
.min .max = (list(T)) T for T in int double bool duration timestamp string bytes
sets.contains sets.intersects sets.equivalent = (list(A), list(A)) bool
optional.of optional.ofNonZeroValue = (A) optional_type(A)
optional.none = () optional_type(A)
.value = (optional_type(A)) A
.hasValue = (optional_type(A)) bool
.or = (optional_type(A), optional_type(A)) optional_type(A)
.orValue = (optional_type(A), A) A
quantity = (string) kubernetes.Quantity
isQuantity isURL isIP isCIDR ip.isCanonical isSemver = (string) bool
.isGreaterThan .isLessThan = (T, T) bool for T in kubernetes.Quantity kubernetes.Semver
.compareTo = (T, T) int for T in kubernetes.Quantity kubernetes.Semver
.add .sub = (kubernetes.Quantity, T) kubernetes.Quantity for T in kubernetes.Quantity int
.sign .asInteger = (kubernetes.Quantity) int
.isInteger = (kubernetes.Quantity) bool
.asApproximateFloat = (kubernetes.Quantity) double
url = (string) kubernetes.URL
.getScheme .getHost .getHostname .getPort .getEscapedPath = (kubernetes.URL) string
.getQuery = (kubernetes.URL) map(string, list(string))
ip = (string) net.IP
.family = (net.IP) int
.isUnspecified .isLoopback .isLinkLocalMulticast .isLinkLocalUnicast .isGlobalUnicast = (net.IP) bool
cidr = (string) net.CIDR
.containsIP = (net.CIDR, T) bool for T in string net.IP
.containsCIDR = (net.CIDR, T) bool for T in string net.CIDR
.ip = (net.CIDR) net.IP
.masked = (net.CIDR) net.CIDR
.prefixLength = (net.CIDR) int
{" ".join(f"format.{name}" for name in FORMATS)} = () kubernetes.NamedFormat
format.named = (string) optional_type(kubernetes.NamedFormat)
.validate = (kubernetes.NamedFormat, string) optional_type(list(string))
semver = (string) kubernetes.Semver
semver = (string, bool) kubernetes.Semver
isSemver = (string, bool) bool
.major .minor .patch = (kubernetes.Semver) int
"""
"""Names, operands and result; a name with a dot before it is a method, whose first operand is what it is called on."""
_LINE = re.compile(r"(?P<names>.+) = \((?P<operands>.*?)\) (?P<result>\S+(?:, \S+)*?)(?: for T in (?P<types>.+))?")
_WORD = re.compile(r"[\w.]+")
NAMESPACES = ("sets", "optional", "strings", "format", "ip")


class Overload(NamedTuple):
    """``operands`` begin with what a method is called on. Types of one capital letter stand for any."""

    operands: tuple[Type, ...]
    result: Type
    is_method: bool


@cache
def overloads() -> Mapping[str, tuple[Overload, ...]]:
    """All of a name; ``sets.contains`` and the like are names of functions."""
    found: dict[str, tuple[Overload, ...]] = {}
    for line in filter(None, _TABLE.splitlines()):
        match = _LINE.fullmatch(line)
        assert match is not None, line
        for chosen in (match["types"] or "T").split(" "):
            operands = types_of(re.sub(r"\bT\b", chosen, match["operands"]))
            (result,) = types_of(re.sub(r"\bT\b", chosen, match["result"]))
            for name in match["names"].split(" "):
                bare = name.removeprefix(".")
                found[bare] = (*found.get(bare, ()), Overload(operands, result, name != bare))
    return found


def qualified(namespace: str, function: str) -> str:
    """``sets.contains`` if there is such a function, else empty."""
    name = f"{namespace}.{function}"
    return name if namespace in NAMESPACES and name in overloads() else ""


def types_of(text: str) -> tuple[Type, ...]:
    """``list(A), int`` as types."""
    found, rest = _types(text)
    assert not rest, text
    return found


def _types(text: str) -> tuple[tuple[Type, ...], str]:
    """The types that ``text`` begins with, and what comes after them."""
    found: list[Type] = []
    while match := _WORD.match(text):
        rest = text[match.end() :]
        parameters: tuple[Type, ...] = ()
        if rest.startswith("("):
            parameters, rest = _types(rest[1:])
            rest = rest.removeprefix(")")
        found.append(Type(match[0], parameters))
        text = rest.lstrip(", ")
        if not rest.startswith(","):
            return tuple(found), rest
    return tuple(found), text
