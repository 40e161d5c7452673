"""The generated transactions have the figures of the set they stand for (see profiles.json)."""

import generate
import numpy as np
import pytest

KAGGLE = (
    "trans_date_trans_time cc_num merchant category amt first last gender street city state zip lat long city_pop job "
    "dob trans_num unix_time merch_lat merch_long is_fraud"
).split()


@pytest.fixture(scope="module")
def rows() -> dict[str, np.ndarray]:
    return generate.generate(cards=1000, seed=22)


def test_counts(rows: dict[str, np.ndarray]) -> None:
    count = len(rows["time"])
    fraud = rows["is_fraud"]
    assert 1_800_000 < count < 1_900_000
    assert 0.0052 <= fraud[: int(0.7 * count)].mean() <= 0.00585
    assert len(np.unique(rows["card"])) >= 980  # a few people never pay by card
    assert len(np.unique(rows["merchant"])) == 693
    assert np.all(np.diff(rows["time"]) >= 0)


@pytest.mark.parametrize(
    ("category", "share", "mean", "stdev"),
    [
        ("grocery_pos", 0.23, 311, 26),
        ("shopping_net", 0.23, 1000, 97),
        ("misc_net", 0.125, 799, 81),
        ("gas_transport", 0.08, 12, 4.5),
    ],
)
def test_fraud_by_category(rows: dict[str, np.ndarray], category: str, share: float, mean: float, stdev: float) -> None:
    fraud = rows["is_fraud"] == 1
    chosen = fraud & (rows["category"] == generate.CATEGORIES.index(category))
    assert chosen.sum() / fraud.sum() == pytest.approx(share, abs=0.015)
    assert rows["amt"][chosen].mean() == pytest.approx(mean, rel=0.06)
    assert rows["amt"][chosen].std() == pytest.approx(stdev, rel=0.15)


def test_fraud_happens_at_night(rows: dict[str, np.ndarray]) -> None:
    fraud = rows["is_fraud"] == 1
    hours = np.bincount(rows["time"][fraud] // 3600 % 24, minlength=24) / fraud.sum()
    assert hours[22] == pytest.approx(0.25, abs=0.02)
    assert hours[23] == pytest.approx(0.25, abs=0.02)
    assert all(hours[h] == pytest.approx(0.085, abs=0.015) for h in range(4))


def test_a_thief_has_the_card_for_himself(rows: dict[str, np.ndarray]) -> None:
    day = rows["card"].astype(np.int64) * generate.DAYS + rows["time"] // generate.DAY
    fraud = rows["is_fraud"] == 1
    assert not np.isin(day[~fraud], day[fraud]).any()


def test_same_seed_same_rows() -> None:
    first, second = generate.generate(cards=5, seed=3), generate.generate(cards=5, seed=3)
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_table_has_kaggles_columns_and_clocks() -> None:
    table = generate.to_table(generate.generate(cards=5, seed=3))
    assert table.column_names == KAGGLE
    first = table.slice(0, 1).to_pylist()[0]
    assert first["trans_date_trans_time"].year == 2019
    assert first["trans_date_trans_time"].timestamp() - first["unix_time"] == 2557 * 86_400
    assert len(first["trans_num"]) == 32
    assert first["merchant"].startswith("fraud_")
