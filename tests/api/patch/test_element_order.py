import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.patch.element_order import ordered


@pytest.mark.parametrize(
    ("merged", "wanted", "live", "result"),
    [
        # TrainJob: the runtime has INIT_ENV and DATASET_PATH, the patch INIT_ENV and NEW_VALUE.
        ("IDN", "IN", "ID", "IND"),
        # Container ports 80 and 81, a patch of 80 and 82 (recorded from 1.36).
        ("012", "02", "01", "021"),
        # A live-only element in front of everything the patch speaks of stays there.
        ("ABC", "BC", "AB", "ABC"),
        ("AB", "BA", "AB", "BA"),
        ("ABC", "C", "AB", "CAB"),
        ("ABCX", "XC", "ABC", "XABC"),
    ],
)
def test_the_order_of_a_merged_list(merged: str, wanted: str, live: str, result: str) -> None:
    assert "".join(ordered(merged, wanted, live, str)) == result


@given(st.permutations("abcdef"), st.integers(0, 6), st.permutations("defghi"), st.integers(0, 6))
def test_nothing_is_lost_and_each_side_keeps_its_order(
    live: list[str], some: int, wanted: list[str], more: int
) -> None:
    live, wanted = live[:some], wanted[:more]
    merged = [*live, *(item for item in wanted if item not in live)]
    result = ordered(merged, wanted, live, str)
    assert sorted(result) == sorted(merged)
    assert [item for item in result if item in wanted] == wanted
    assert [item for item in result if item not in wanted] == [item for item in live if item not in wanted]
