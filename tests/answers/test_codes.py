"""A code is a number and a word, each of them once."""

import re

from sidings.answers import codes


def test_every_code_has_a_word_of_its_own() -> None:
    named = [value for value in vars(codes).values() if isinstance(value, str) and re.fullmatch(r"SDG-\d{3}", value)]
    assert named == sorted(set(named)) == list(codes.WORDS)
    assert len(set(codes.WORDS.values())) == len(codes.WORDS)
    assert codes.WORDS[codes.NEVER_ENOUGH] == "NeverEnough"
