"""What Go would not compile, in Go's words."""

import pytest

from sidings.api.go_regexp.parsing import InvalidPattern, parse


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("(", "missing closing ): `(`"),
        ("(?i", "missing closing ): `(?i`"),
        ("a)", "unexpected ): `a)`"),
        ("[a", "missing closing ]: `[a`"),
        ("[a-", "missing closing ]: `[a-`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a++", "invalid nested repetition operator: `++`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{3,2}", "invalid repeat count: `{3,2}`"),
        ("(a{100}){11}", "invalid repeat count: `{11}`"),
        ("((a{0,100})+b{2}){2,}?c{11}|(a{2}){501}?", "invalid repeat count: `{501}?`"),
        ("[b-a]", "invalid character class range: `b-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
        ("a\\", "trailing backslash at end of expression"),
        (r"\k", r"invalid escape sequence: `\k`"),
        (r"\xZZ", r"invalid escape sequence: `\xZZ`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000}`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("(?P<a b>c)", "invalid named capture: `(?P<a b>`"),
        ("(?z)", "invalid or unsupported Perl syntax: `(?z`"),
    ],
)
def test_invalid(pattern: str, complaint: str) -> None:
    with pytest.raises(InvalidPattern) as caught:
        parse(pattern)
    assert str(caught.value) == f"error parsing regexp: {complaint}"


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)", "(?!a)", "(?<=a)", "(?>a)", r"a\Z"])
def test_what_python_has_and_go_has_not(pattern: str) -> None:
    with pytest.raises(InvalidPattern):
        parse(pattern)


def test_groups_within_groups_have_an_end() -> None:
    parse("(" * 100 + ")" * 100)
    with pytest.raises(InvalidPattern, match="nests too deeply"):
        parse("(" * 101 + ")" * 101)
