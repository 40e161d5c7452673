"""Whether a pattern is found."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.go_regexp import InvalidPattern, found


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", ""),
        ("a", "ba"),
        ("^a", "ab"),
        ("a$", "ba"),
        ("exit code (42|43)", "failed with exit code 43 matching"),
        ("(?i)NCCL", "unhandled nccl error"),
        ("foo(?i)BAR", "foobar"),
        ("(?i:A)b", "ab"),
        ("a(?i)b|c", "C"),
        ("(?P<code>[0-9]+)", "exit 7"),
        ("x{2,3}y", "xxy"),
        ("x{2,}y", "xxxxy"),
        ("a{,2}", "a{,2}"),
        ("(?:ab)*?c", "ababc"),
        ("(a*)*", "b"),
        ("[[:digit:]]+", "x1"),
        ("[[:^alpha:]]", "1"),
        ("[]a]", "]"),
        (r"[\d-x]", "-"),
        ("[^a]", "\n"),
        (r"\bfoo\b", "a foo b"),
        (r"o\Bo", "foo"),
        (r"\pL", "\u00e9"),
        (r"\p{^L}", "1"),
        (r"\Qa.b\E+", "a.bb"),
        (r"\x41\x{1F600}\101\t", "A\U0001f600A\t"),
        ("(?s).", "\n"),
        ("(?m)^b$", "a\nb\nc"),
        (r"a\z", "ba"),
    ],
)
def test_found(pattern: str, text: str) -> None:
    assert found(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a$", "a\n"),
        (".", "\n"),
        (r"\d", "\u0663"),
        (r"\w", "\u00e9"),
        ("x{2,3}y", "xy"),
        ("x{1000}", "x" * 999),
        (r"\Qa.b\E", "axb"),
        ("^b", "a\nb"),
        ("(?i:A)b", "aB"),
        ("[^a-c]", "abc"),
        (r"\PL", "\u00e9"),
        ("a|b", "c"),
    ],
)
def test_not_found(pattern: str, text: str) -> None:
    assert not found(pattern, text)


def test_no_pattern_takes_longer_than_its_length_times_that_of_the_text() -> None:
    """With backtracking this one takes longer than the world will last."""
    assert not found("(a+)+$", "a" * 2000 + "b")


def test_a_program_has_an_end() -> None:
    with pytest.raises(InvalidPattern, match="expression too large"):
        found("(x{100}){100}", "")


ATOMS = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", "(?:a|bc)", r"\b", "^", "(?:$)"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map("(?:{})".format),
        st.tuples(inner.map("(?:{})".format), st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?"])).map("".join),
    ),
    max_leaves=8,
)


@given(PATTERNS, st.text("abc ", max_size=8))
def test_what_both_know_is_found_where_python_finds_it(pattern: str, text: str) -> None:
    assert found(pattern, text) == (re.search(pattern, text) is not None)
