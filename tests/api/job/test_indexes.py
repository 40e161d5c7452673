import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.job import indexes


@pytest.mark.parametrize(
    ("found", "text"),
    [(set(), ""), ({3}, "3"), ({1, 2}, "1,2"), ({0, 2, 3, 4}, "0,2-4"), ({0, 1, 3, 4, 5, 9}, "0,1,3-5,9")],
)
def test_text(found: set[int], text: str) -> None:
    assert indexes.to_text(found) == text
    assert indexes.parse(text, 10) == found


@given(st.sets(st.integers(0, 200)))
def test_parse_reads_what_to_text_writes(found: set[int]) -> None:
    assert indexes.parse(indexes.to_text(found), 201) == found


def test_parse_drops_indexes_that_the_job_no_longer_has() -> None:
    assert indexes.parse("0,2-9", 4) == {0, 2, 3}


def test_first_missing() -> None:
    assert indexes.first_missing({0, 2}, 5, 2) == [1, 3]
    assert indexes.first_missing({0, 2}, 3, 9) == [1]


@pytest.mark.parametrize(("text", "total"), [("", 0), ("0", 1), ("0,2-4", 4), ("3,4", 2)])
def test_parse_strictly(text: str, total: int) -> None:
    assert indexes.parse_strictly(text, 5) == total


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("5", 'too large index: "5"'),
        ("0-9", 'too large index: "9"'),
        ("2,1", "non-increasing order, previous: 2, current: 1"),
        ("1,1", "non-increasing order, previous: 1, current: 1"),
        ("3-3", "non-increasing order, previous: 3, current: 3"),
        ("x", 'cannot convert string to integer for index: "x"'),
        (
            "1-2-3",
            'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts '
            "separated by '-'",
        ),
    ],
)
def test_parse_strictly_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(ValueError) as refusal:
        indexes.parse_strictly(text, 5)
    assert str(refusal.value) == complaint
