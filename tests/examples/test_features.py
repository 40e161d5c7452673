"""History looks back only, counts right, and bins know never from once."""

import features
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

DAY = features.DAY


def table(cards: list[int], times: list[int], amounts: list[float], categories: list[int]) -> features.Columns:
    return {
        "card": np.array(cards),
        "time": np.array(times, np.int64),
        "amt": np.array(amounts, float),
        "category": np.array(categories),
    }


row = st.tuples(
    st.integers(0, 2), st.integers(0, 20 * DAY), st.integers(1, 500).map(lambda cents: cents / 4), st.integers(0, 2)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(row, min_size=1, max_size=40))
def test_against_counting_by_hand(rows: list[tuple[int, int, float, int]]) -> None:
    columns = table(*map(list, zip(*rows, strict=True)))
    found = features.history(columns)
    for i, (card, time, amount, category) in enumerate(rows):
        past = [
            (t, a, c)
            for j, (k, t, a, c) in enumerate(rows)
            if k == card and (t < time or (t == time and j < i))
        ]  # fmt: skip
        lately = [a for t, a, _ in past if time - t <= DAY]
        same = [a for _, a, c in past if c == category]
        habit = [a for t, a, c in past if c == category and (t % DAY >= DAY // 2) == (time % DAY >= DAY // 2)]
        assert found["seen"][i] == len(past)
        assert found["count_1d"][i] == len(lately)
        assert abs(found["sum_1d"][i] - sum(lately)) < 1e-6
        assert found["category_seen"][i] == len(same)
        assert found["habit"][i] == len(habit)
        mean = sum(a for _, a, _ in past) / len(past) if past else amount
        assert abs(found["amt_to_mean"][i] - amount / mean) < 1e-6


def test_the_future_changes_nothing() -> None:
    before = features.history(table([1, 1, 2], [0, 100, 50], [1.0, 2.0, 3.0], [0, 0, 1]))
    after = features.history(table([1, 1, 2, 1], [0, 100, 50, 200], [1.0, 2.0, 3.0, 900.0], [0, 0, 1, 0]))
    assert all(np.array_equal(before[name], after[name][:3]) for name in before)


def test_codes_stay_in_their_columns_range() -> None:
    rng = np.random.default_rng(0)
    categorical = {"category": rng.integers(0, 14, 1000), "hour": rng.integers(0, 24, 1000)}
    numeric = {"amt": rng.gamma(2, 30, 1000), "seen": rng.integers(0, 50, 1000)}
    coder = features.Coder.fit(categorical, numeric)
    codes = coder.encode(categorical, {"amt": numeric["amt"] * 100 - 500, "seen": numeric["seen"]})
    first = 0
    for position, size in enumerate(coder.sizes.values()):
        assert codes[:, position].min() >= first
        assert codes[:, position].max() < first + size
        first += size


def test_counts_tell_never_from_once() -> None:
    edges = features.edges_of(np.full(10_000, 300), features.BINS)
    assert [int(np.searchsorted(edges, value, side="right")) for value in (0, 1, 2, 3)] == [0, 1, 2, 3]
