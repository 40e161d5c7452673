"""Whether a pattern is found, and what it finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.go_regexp import expression, found


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
        (r"a\$", "a$"),
        ("^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$", "Rack-1"),
    ],
)
def test_found(pattern: str, text: str) -> None:
    assert found(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a$", "a\n"),
        ("^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$", "1-rack"),
        ("a(?i)b", "Ab"),
        (".", "\n"),
        (r"\d", "\u0663"),
        (r"\w", "\u00e9"),
        ("x{2,3}y", "xy"),
        ("x{300}", "x" * 299),
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


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)+$", "(.*)(.*)(.*)b$", "(a?){100}a{100}$", "(x+x+)+y"])
def test_no_pattern_takes_longer_than_its_length_times_that_of_the_text(pattern: str) -> None:
    """With backtracking these take longer than the world will last."""
    assert not found(pattern, "a" * 100_000 + "c")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("[0-9]+", "a1b22", ["1", "22"]),
        ("a|ab", "ab", ["a"]),
        ("ab|a", "ab", ["ab"]),
        ("a+?", "aa", ["a", "a"]),
        ("(?U)a+", "aa", ["a", "a"]),
        ("(?U)a+?", "aa", ["aa"]),
        ("a{1,2}?b??", "aab", ["a", "a"]),
        ("a*", "baac", ["", "aa", ""]),
        ("", "ab", ["", "", ""]),
        ("(|a)*", "aa", ["", "", ""]),
        ("(|a)+", "aa", ["", "", ""]),
        ("(a|b)*?c", "abcc", ["abc", "c"]),
        (r"\b\w", "one two", ["o", "t"]),
        ("(?m)^.*$", "a\n\nb", ["a", "", "b"]),
        ("^a", "aa", ["a"]),
        ("a$", "aa", ["a"]),
        ("z", "abc", []),
    ],
)
def test_all(pattern: str, text: str, matches: list[str]) -> None:
    assert list(expression(pattern).all_in(text)) == matches


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


BUSY = st.recursive(
    st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", "(?:a|ab)", "(?:ab|a)"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map("(?:{})".format),
        st.tuples(inner.map("(?:{})".format), st.sampled_from(["+", "{2}", "{1,2}", "+?", "{1,2}?"])).map("".join),
    ),
    max_leaves=8,
)
"""Without loops over what may be empty, and none that prefers to be: Go and Python go on differently after those."""


@given(BUSY, st.sampled_from(["", "?", "*"]), st.text("abc ", max_size=10))
def test_what_both_know_finds_what_python_finds(pattern: str, repeated: str, text: str) -> None:
    whole = f"(?:{pattern}){repeated}"
    go = [match for match in expression(whole).all_in(text) if match]
    assert go == [match[0] for match in re.finditer(whole, text) if match[0]]
