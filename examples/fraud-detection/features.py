"""From transactions to what the model reads: one small integer per column and row.

Every column becomes a code: categories by position, numbers by the quantile they fall into. A model then needs one
embedding table and no scaling, and a row is a few dozen bytes, so the whole set stays in memory next to the device.

The history columns look only at a card's own past. Computed once over sorted columns they cost two seconds for 1.85
million rows; they are worth more than any model (see README.md).
"""

from __future__ import annotations

import numpy as np

CATEGORIES = (
    "entertainment", "food_dining", "gas_transport", "grocery_net", "grocery_pos", "health_fitness", "home",
    "kids_pets", "misc_net", "misc_pos", "personal_care", "shopping_net", "shopping_pos", "travel",
)  # fmt: skip
HOUR, DAY = 3600, 86_400
WINDOWS = {"1h": HOUR, "1d": DAY, "7d": 7 * DAY}
BINS = 64
FIRST_COUNTS = (1, 2, 3, 4, 6, 8)
FINE_BINS = 256  # amounts: fraud hides in narrow bands of them

SIZES = {"category": len(CATEGORIES), "hour": 24, "weekday": 7, "female": 2}

Columns = dict[str, np.ndarray]


def basic(rows: Columns) -> tuple[Columns, Columns]:
    """(categorical, numeric) columns that need nothing but the row itself.

    ``rows`` has ``time`` (int64, seconds), ``category`` (code in CATEGORIES), ``female`` (0/1), ``amt``, ``city_pop``,
    ``born`` (days since 1970) and the positions ``lat``, ``long``, ``merch_lat``, ``merch_long`` in degrees.
    """
    day = rows["time"] // DAY
    distance = np.hypot(
        rows["merch_lat"] - rows["lat"], (rows["merch_long"] - rows["long"]) * np.cos(np.radians(rows["lat"]))
    )
    categorical = {
        "category": rows["category"],
        "hour": rows["time"] % DAY // HOUR,
        "weekday": (day + 3) % 7,
        "female": rows["female"],
    }
    numeric = {
        "amt": rows["amt"],
        "age": (day - rows["born"]) / 365.25,
        "city_pop": rows["city_pop"].astype(float),
        "distance": distance,
    }
    return categorical, numeric


class Past:
    """Running counts and sums over a row's own past within its group, for rows in any order.

    A row sees strictly earlier rows (of two in the same second, only the first in the order given).
    """

    def __init__(self, group: np.ndarray, time: np.ndarray, amount: np.ndarray) -> None:
        self.order = order = np.lexsort((time, group))
        self.group, self.time, self.amount = group[order], time[order] - time.min(), amount[order]
        self.index = np.arange(len(order))
        self.start = np.searchsorted(self.group, self.group)  # the first row of the same group
        self.total = np.concatenate([[0.0], np.cumsum(self.amount)])
        self.back = np.empty(len(order), np.int64)
        self.back[order] = self.index

    def seen(self) -> np.ndarray:
        return self.index - self.start

    def mean(self) -> np.ndarray:
        """Mean of the earlier amounts; the row's own amount where there are none."""
        seen = self.seen()
        return np.where(seen > 0, (self.total[self.index] - self.total[self.start]) / np.maximum(seen, 1), self.amount)

    def previous(self, values: np.ndarray, default: float) -> np.ndarray:
        return np.where(self.seen() > 0, values[np.maximum(self.index - 1, 0)], default)

    def within(self, seconds: int, *values: np.ndarray) -> list[np.ndarray]:
        """How many earlier rows are at most ``seconds`` ago, then the sum of each of ``values`` over them."""
        span = (
            int(self.time.max()) + 2 * seconds + 1
        )  # one sorted axis for all groups: windows never reach into another
        key = np.cumsum(np.diff(self.group, prepend=self.group[0]) != 0) * span + self.time + seconds
        first = np.maximum(np.searchsorted(key, key - seconds), self.start)
        totals = [np.concatenate([[0.0], np.cumsum(column)]) for column in values]
        return [self.index - first, *(total[self.index] - total[first] for total in totals)]


def history(rows: Columns) -> Columns:
    """What the card did before each of its transactions: how lately, how much, and whether it ever did the like.

    ``habit`` counts how often the card bought in this category in this half of the day; ``novel_2d`` and ``night_2d``
    how many of its purchases of the last two days were the first of their kind, or made at night.
    """
    card, time, amount = rows["card"].astype(np.int64), rows["time"], rows["amt"]
    category = card * len(CATEGORIES) + rows["category"]
    spent = Past(category, time, amount)
    habit = Past(category * 2 + (time % DAY >= DAY // 2), time, amount)
    columns = {
        "habit": habit.seen()[habit.back],
        "category_seen": spent.seen()[spent.back],
        "amt_to_category_mean": (spent.amount / np.maximum(spent.mean(), 0.01))[spent.back],
    }
    columns["habit_share"] = (columns["habit"] + 0.5) / (columns["category_seen"] + 1)
    own = Past(card, time, amount)
    hour = time % DAY // HOUR
    unusual = {"novel_2d": columns["habit"] == 0, "night_2d": (hour >= 22) | (hour < 4)}
    found = dict(zip(unusual, own.within(2 * DAY, *(flag[own.order] for flag in unusual.values()))[1:], strict=True))
    for name, seconds in WINDOWS.items():
        found[f"count_{name}"], found[f"sum_{name}"] = own.within(seconds, own.amount)
    gap = np.maximum(own.time - own.previous(own.time, 0), 0)
    found |= {
        "since_last": np.where(own.seen() > 0, np.log1p(gap), -1.0),
        "previous_amt": own.previous(own.amount, -1.0),
        "amt_to_mean": own.amount / np.maximum(own.mean(), 0.01),
        "seen": own.seen(),
    }
    for name in unusual:
        found[name] = found[name].astype(np.int64)
    return columns | {name: values[own.back] for name, values in found.items()}


def edges_of(values: np.ndarray, bins: int) -> np.ndarray:
    """Inner edges of ``bins`` equally full bins; fewer where values repeat."""
    sample = values if len(values) <= 200_000 else values[:: len(values) // 200_000]
    edges = np.quantile(sample, np.linspace(0, 1, bins + 1)[1:-1])
    if np.issubdtype(values.dtype, np.integer):
        edges = np.concatenate([FIRST_COUNTS, edges])  # "never" and "once" are rare, and what matters most
    return np.unique(edges.astype(np.float32))


class Coder:
    """Column names, bin edges and where each column's codes begin in the shared embedding table."""

    def __init__(self, sizes: dict[str, int], edges: dict[str, np.ndarray]) -> None:
        self.sizes = sizes
        self.edges = edges
        self.offsets = dict(
            zip(sizes, np.concatenate([[0], np.cumsum(list(sizes.values()))[:-1]]).tolist(), strict=True)
        )

    @classmethod
    def fit(cls, categorical: Columns, numeric: Columns) -> Coder:
        """Learn the bins from training rows; the test rows only use them."""
        edges = {name: edges_of(column, FINE_BINS if "amt" in name else BINS) for name, column in numeric.items()}
        return cls(
            {name: SIZES[name] for name in categorical} | {name: len(edge) + 1 for name, edge in edges.items()}, edges
        )

    def encode(self, categorical: Columns, numeric: Columns) -> np.ndarray:
        """int16 [rows, columns]: codes with their column's offset already added."""
        codes = np.empty((len(next(iter(categorical.values()))), len(self.sizes)), np.int16)
        for position, name in enumerate(self.sizes):
            if name in self.edges:
                column = np.searchsorted(self.edges[name], numeric[name].astype(np.float32), side="right")
            else:
                column = categorical[name]
            codes[:, position] = column + self.offsets[name]
        return codes

    def to_json(self) -> dict:
        return {"sizes": self.sizes, "edges": {name: edge.tolist() for name, edge in self.edges.items()}}
