"""Every code has an entry, and the page of findings is that of the program."""

import re
from pathlib import Path

from sidings.answers import codes
from tests.answers import findings_page

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"


def test_the_page_is_that_of_the_program() -> None:
    assert PAGE.read_text(encoding="utf-8") == findings_page.render()


def test_every_code_is_explained_once_and_in_order() -> None:
    named = [value for value in vars(codes).values() if isinstance(value, str) and re.fullmatch(r"SDG-\d{3}", value)]
    assert sorted(named) == list(codes.EXPLANATIONS)
    assert all(found.title and found.meaning and found.mending for found in codes.EXPLANATIONS.values())


def test_every_code_has_a_word_of_its_own() -> None:
    assert set(codes.WORDS) == set(codes.EXPLANATIONS)
    assert len(set(codes.WORDS.values())) == len(codes.WORDS)
    assert codes.WORDS[codes.NEVER_ENOUGH] == "NeverEnough"


def test_a_finding_is_as_grave_as_its_code() -> None:
    found = codes.finding(codes.QUOTA_BUSY, "ClusterQueue cq", "what")
    assert found.as_json() == {
        "code": "SDG-111",
        "severity": "note",
        "where": "ClusterQueue cq",
        "what": "what",
        "cause": "",
        "remedy": "",
    }
