"""Simulated card transactions with the columns of the Kaggle set kartik2112/fraud-detection, in seconds.

    python generate.py --out transactions.parquet [--cards 1000] [--seed 22]

Each customer belongs to one of twelve groups (sex, age, size of the place they live in) and spends by the group's
profile: how often, on which days and in which half of the day, on what, how much. Most cards are stolen once; for two
days somebody else spends by the profile's fraudulent twin. The figures are in ``profiles.json``; rules and figures are
those of Sparkov_Data_Generation (MIT, as of July 2020), which Kaggle's author used. People, places and merchants are
made up.

Everything is drawn column by column: about 1.85 million rows of 1,000 cards take a few seconds on one core.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FIRST_DAY = np.datetime64("2012-01-01")  # the simulation's clock; unix_time stays on it, as in the Kaggle set
DAYS = 731
SHOWN_LATER = np.timedelta64(2557, "D")  # the dates shown are seven years later: 2019 and 2020
DAY = 86_400
STOLEN = 99 / 101  # share of cards with a fraud window
NIGHT = 0.8  # share of fraudulent transactions moved to the night
MERCHANTS = 693
CATEGORIES = (
    "gas_transport", "grocery_net", "grocery_pos", "misc_net", "misc_pos", "shopping_net", "shopping_pos",
    "entertainment", "food_dining", "health_fitness", "home", "kids_pets", "personal_care", "travel",
)  # fmt: skip
CUSTOMER_COLUMNS = (
    "first", "last", "gender", "street", "city", "state", "zip", "lat", "long", "city_pop", "job", "dob",
)  # fmt: skip
STATES = (
    "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR "
    "PA RI SC SD TN TX UT VA VT WA WI WV WY"
).split()
AGES = ((0.0, 14), (0.05, 18), (0.2, 25), (0.55, 50), (0.8, 62), (0.95, 77), (1.0, 90))  # share of people below
SYLLABLES = (
    "ba be bo da de do fa fi ga go ha hu ka ki la le lo ma mi mo na ne no pa po ra ri ro sa se so ta te to va".split()
)


def names(rng: np.random.Generator, count: int, syllables: int = 3) -> list[str]:
    """``count`` distinct made-up names."""
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(rng.choice(SYLLABLES, syllables)).capitalize()] = None
    return list(found)


def make_customers(rng: np.random.Generator, cards: int) -> dict[str, np.ndarray]:
    """One entry per card: who holds it, and ``group``, the name of the spending profile."""
    female = rng.random(cards) < 0.49
    share, age_at = zip(*AGES, strict=True)
    age = np.interp(rng.random(cards), share, age_at)
    city_pop = np.clip(np.exp(rng.normal(8.4, 2.3, cards)), 23, 2_900_000).astype(np.int32)
    urban = city_pop >= 2500
    band = np.where(age < 25, "young_adults", np.where(age <= 50, "adults_2550", "adults_50up"))
    group = [
        f"{b}_{'female' if f else 'male'}_{'urban' if u else 'rural'}"
        for b, f, u in zip(band, female, urban, strict=True)
    ]
    born = np.datetime64("2019-07-01") - (age * 365.25).astype("timedelta64[D]")
    return {
        "cc_num": np.sort(rng.choice(9 * 10**15, cards, replace=False) + 10**15)[rng.permutation(cards)],
        "first": np.array(names(rng, cards)),
        "last": np.array(names(rng, cards)),
        "gender": np.where(female, "F", "M"),
        "street": np.array([f"{rng.integers(1, 9999)} {name} Street" for name in names(rng, cards)]),
        "city": np.array(names(rng, cards, 4)),
        "state": rng.choice(STATES, cards),
        "zip": rng.integers(1000, 99_999, cards).astype(np.int32),
        "lat": np.round(rng.normal(38.5, 5.0, cards), 4),
        "long": np.round(rng.normal(-90.2, 13.8, cards), 4),
        "city_pop": city_pop,
        "job": np.array(names(rng, 494, 4))[rng.integers(0, 494, cards)],
        "dob": born.astype("datetime64[D]"),
        "group": np.array(group),
    }  # fmt: skip


def day_weights(profile: dict) -> np.ndarray:
    """The share of a customer's transactions that falls on each of the 731 days."""
    days = FIRST_DAY + np.arange(DAYS)
    year = days.astype("datetime64[Y]").astype(int) - FIRST_DAY.astype("datetime64[Y]").astype(int)
    month_day = np.array([str(day)[5:] for day in days])
    weights = profile["date_wt"]
    season = np.full(DAYS, 100.0)
    for part in weights["time_of_year"].values():
        first, last = (f"{int(m):02}-{int(d):02}" for m, d in (part[k].split("-") for k in ("start", "end")))
        season[(month_day >= first) & (month_day <= last)] = part["weight"]
    for y in (0, 1):
        season[year == y] /= season[year == y].sum()
    weekday = np.array(weights["day_of_week"], float)[(days.astype("datetime64[D]").astype(int) + 3) % 7]
    by_year = np.array(weights["year"], float)
    total = by_year[year] / by_year[:2].sum() * season * weekday
    return total / total.sum()


def spend(
    rng: np.random.Generator, profile: dict, card: np.ndarray, day: np.ndarray, fraud: bool
) -> dict[str, np.ndarray]:
    """Transactions by ``profile``, one per entry of ``card`` and ``day``: category, amount, second of the day."""
    count = len(card)
    which = rng.random(count)  # one draw decides category and half of the day, so the two go together
    shares = np.cumsum(profile["categories_wt"]) / np.sum(profile["categories_wt"])
    category = np.searchsorted(shares, which, side="right").clip(max=len(CATEGORIES) - 1).astype(np.int8)
    mean, stdev = (np.array(column, float)[category] for column in zip(*profile["categories_amt"], strict=True))
    amount = rng.gamma((mean / stdev) ** 2, stdev**2 / mean)
    amount = np.round(np.where(amount < 1, rng.uniform(1, 10, count), amount), 2)
    morning, afternoon = profile["shopping_time"]
    pm = which >= morning / (morning + afternoon)
    hour = rng.integers(0, 12, count) + 12 * pm
    if fraud:
        night = np.where(pm, rng.integers(22, 24, count), rng.integers(0, 4, count))
        hour = np.where(rng.random(count) < NIGHT, night, hour)
    second = hour * 3600 + rng.integers(0, 3600, count)
    return {
        "card": card.astype(np.int32),
        "time": day * DAY + second,
        "category": category,
        "amt": amount,
        "is_fraud": np.full(count, fraud, np.int8),
    }


def fraud_windows(rng: np.random.Generator, profiles: dict, groups: np.ndarray) -> dict[str, np.ndarray]:
    """The fraudulent transactions of all cards: at most one window of two days each."""
    parts = []
    for group in np.unique(groups):
        profile = profiles[f"fraud_{group}"]
        cards = np.flatnonzero((groups == group) & (rng.random(len(groups)) < STOLEN))
        start = rng.integers(1, DAYS - 7, len(cards))
        low, high = profile["avg_transactions_per_day"]
        number = rng.integers(low, high + 1, len(cards))
        card, first = np.repeat(cards, number), np.repeat(start, number)
        weights = day_weights(profile)
        second_day = rng.random(len(card)) < weights[first + 1] / (weights[first] + weights[first + 1])
        parts.append(spend(rng, profile, card, first + second_day, fraud=True))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def generate(cards: int = 1000, seed: int = 22) -> dict[str, np.ndarray]:
    """All transactions in order of time, as columns; strings of customers and merchants are still codes.

    ``card`` indexes the customers' arrays, ``merchant`` the names; ``time`` counts seconds on the simulation's clock.
    """
    rng = np.random.default_rng(seed)
    profiles = json.loads((Path(__file__).parent / "profiles.json").read_text())
    customers = make_customers(rng, cards)
    groups = customers["group"]
    fraud = fraud_windows(rng, profiles, groups)
    stolen_days = np.unique(fraud["card"].astype(np.int64) * DAYS + fraud["time"] // DAY)
    parts = [fraud]
    for group in np.unique(groups):
        profile = profiles[group]
        members = np.flatnonzero(groups == group)
        low, high = profile["avg_transactions_per_day"]
        card = np.repeat(members, DAYS * rng.integers(low, high + 1, len(members)))
        day = np.searchsorted(np.cumsum(day_weights(profile)), rng.random(len(card)), side="right").clip(max=DAYS - 1)
        kept = ~np.isin(card.astype(np.int64) * DAYS + day, stolen_days)  # the thief has the card that day
        parts.append(spend(rng, profile, card[kept], day[kept], fraud=False))
    rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(rows["time"], kind="stable")
    rows = {name: column[order] for name, column in rows.items()}
    each = MERCHANTS // len(CATEGORIES)
    sold_by = np.array([each + (c < MERCHANTS % len(CATEGORIES)) for c in range(len(CATEGORIES))])
    first = np.concatenate([[0], np.cumsum(sold_by)[:-1]])
    count = len(order)
    category = rows["category"]
    rows["merchant"] = (first[category] + rng.random(count) * sold_by[category]).astype(np.int16)
    card = rows["card"]
    rows["merch_lat"] = np.round(customers["lat"][card] + rng.uniform(-1, 1, count), 6)
    rows["merch_long"] = np.round(customers["long"][card] + rng.uniform(-1, 1, count), 6)
    rows["trans_num"] = np.frombuffer(rng.bytes(16 * count).hex().encode(), "S32")
    rows["merchant_names"] = np.array([f"fraud_{name} and Sons" for name in names(rng, MERCHANTS)])
    return rows | {f"customer_{name}": column for name, column in customers.items()}


def to_table(rows: dict[str, np.ndarray]) -> pa.Table:
    """The Kaggle set's columns, in its order."""
    card = rows["card"]

    def of_customer(name: str) -> pa.Array:
        values = rows[f"customer_{name}"]
        return (
            pa.DictionaryArray.from_arrays(card, pa.array(values))
            if values.dtype.kind == "U"
            else pa.array(values[card])
        )

    columns = {
        "trans_date_trans_time": pa.array((FIRST_DAY + SHOWN_LATER).astype("datetime64[s]") + rows["time"]),
        "cc_num": of_customer("cc_num"),
        "merchant": pa.DictionaryArray.from_arrays(rows["merchant"], pa.array(rows["merchant_names"])),
        "category": pa.DictionaryArray.from_arrays(rows["category"], pa.array(CATEGORIES)),
        "amt": pa.array(rows["amt"]),
        **{name: of_customer(name) for name in CUSTOMER_COLUMNS},
        "trans_num": pa.array(rows["trans_num"]).cast(pa.string()),
        "unix_time": pa.array(FIRST_DAY.astype("datetime64[s]").astype(np.int64) + rows["time"]),
        "merch_lat": pa.array(rows["merch_lat"]),
        "merch_long": pa.array(rows["merch_long"]),
        "is_fraud": pa.array(rows["is_fraud"]),
    }  # fmt: skip
    return pa.table(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("transactions.parquet"))
    parser.add_argument("--cards", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=22)
    args = parser.parse_args()
    began = time.perf_counter()
    table = to_table(generate(args.cards, args.seed))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, args.out, compression="zstd")
    fraud = table["is_fraud"].to_numpy()
    print(
        f"{table.num_rows:,} rows, {fraud.sum():,} fraud ({100 * fraud.mean():.3f} %), "
        f"{args.out} in {time.perf_counter() - began:.1f} s"
    )


if __name__ == "__main__":
    main()
