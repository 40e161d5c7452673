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
        assert abs(found["deviation"][i] - deviation(amount, same)) < 1e-6
        assert found["count_today"][i] == sum(t // DAY == time // DAY for t, _, _ in past)
        assert abs(found["gap_to_mean"][i] - gap_to_mean(time, sorted(t for t, _, _ in past))) < 1e-6


def deviation(amount: float, earlier: list[float]) -> float:
    if not earlier:
        return 0.0
    logarithms = np.log(earlier)
    squares = ((logarithms - logarithms.mean()) ** 2).sum() + features.PRIOR_ROWS * features.PRIOR_VARIANCE
    return float((np.log(amount) - logarithms.mean()) / np.sqrt(squares / (len(earlier) + features.PRIOR_ROWS)))


def gap_to_mean(time: int, earlier: list[int]) -> float:
    if len(earlier) < 2:
        return features.NO_GAP
    mean = max(earlier[-1] - earlier[0], features.HOUR) / (len(earlier) - 1)
    return float(np.log((time - earlier[-1] + features.MINUTE) / mean))


@settings(max_examples=40, deadline=None)
@given(st.lists(row, min_size=2, max_size=30), st.data())
def test_the_future_changes_nothing(rows: list[tuple[int, int, float, int]], data: st.DataObject) -> None:
    rows.sort(key=lambda one: one[1])
    now = data.draw(st.integers(1, len(rows) - 1))
    before = features.history(table(*map(list, zip(*rows[:now], strict=True))))
    after = features.history(table(*map(list, zip(*rows, strict=True))))
    for name, column in before.items():
        np.testing.assert_allclose(column, after[name][:now], rtol=0, atol=1e-9, err_msg=name)


def test_marks_are_counted_today_and_over_two_days() -> None:
    usual = [(day * DAY + 12 * features.HOUR, 50.0 + day % 3) for day in range(10)]
    night = 10 * DAY + 22 * features.HOUR
    odd = [(night, 900.0), (night + 60, 900.0), (11 * DAY + 60, 900.0), (11 * DAY + 12 * features.HOUR, 50.0)]
    times, amounts = zip(*usual, *odd, strict=True)
    found = features.history(table([1] * len(times), list(times), list(amounts), [0] * len(times)))
    assert np.abs(found["deviation"][10]) > features.ODD
    assert found["odd_today"][10:12].tolist() == [0, 1]
    assert found["night_today"][10:].tolist() == [0, 1, 0, 1]
    assert found["night_2d"][10:].tolist() == [0, 1, 2, 3]
    assert found["novel_2d"][10:].tolist() == [0, 0, 0, 1]  # its first purchase of a morning is the third of the four


def test_card_numbers_of_19_digits_and_free_goods() -> None:
    found = features.history(table([4992346398065154184, 4992346398065154185], [0, DAY], [0.0, 5.0], [1, 13]))
    assert found["seen"].tolist() == [0, 0]
    assert all(np.isfinite(column).all() for column in found.values())


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
