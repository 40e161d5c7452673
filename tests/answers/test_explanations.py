"""Every code has an entry, and the page of findings is that of the program."""

from pathlib import Path

from sidings.answers import codes
from sidings.answers.explanations import EXPLANATIONS, finding
from tests.answers import findings_page

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"


def test_the_page_is_that_of_the_program() -> None:
    assert PAGE.read_text(encoding="utf-8") == findings_page.render()


def test_every_code_is_explained_once_and_in_order() -> None:
    assert list(EXPLANATIONS) == list(codes.WORDS)
    assert all(found.title and found.meaning and found.mending for found in EXPLANATIONS.values())


def test_a_finding_is_as_grave_as_its_code() -> None:
    found = finding(codes.QUOTA_BUSY, "ClusterQueue cq", "what")
    assert found.as_json() == {
        "code": "SDG-111",
        "severity": "note",
        "where": "ClusterQueue cq",
        "what": "what",
        "cause": "",
        "remedy": "",
    }
