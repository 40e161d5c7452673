"""From transactions to what the model reads: one small integer per column and row.

Every column becomes a code: categories by position, numbers by the quantile they fall into. A model then needs one
embedding table and no scaling, and a row is a few dozen bytes, so the whole set stays in memory next to the device.

The history columns look only at a card's own past. Computed once over sorted columns they cost a few seconds for 1.85
million rows; they are worth more than any model (see README.md).
"""

from __future__ import annotations

import numpy as np

CATEGORIES = (
    "entertainment", "food_dining", "gas_transport", "grocery_net", "grocery_pos", "health_fitness", "home",
    "kids_pets", "misc_net", "misc_pos", "personal_care", "shopping_net", "shopping_pos", "travel",
)  # fmt: skip
MINUTE, HOUR, DAY = 60, 3600, 86_400
WINDOWS = {"1d": DAY, "7d": 7 * DAY}
CENT = 0.01
ODD = 1.5  # standard deviations of the logarithm of the amount
PRIOR_ROWS, PRIOR_VARIANCE = 4, 0.5
NO_GAP = -9.0  # below any logarithm of a gap over the mean gap
BINS = 64
FIRST_COUNTS = (1, 2, 3, 4, 6, 8)

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
    """Counts and sums over each row's own past within its group; columns go in and come out in the order of the rows.

    A row sees strictly earlier rows (of two in the same second, only the first in the order given).
    """

    def __init__(self, group: np.ndarray, time: np.ndarray) -> None:
        self.order = np.lexsort((time, group))
        self.group, self.time = group[self.order], time[self.order] - time.min()
        self.index = np.arange(len(self.order))
        self.start = np.searchsorted(self.group, self.group)  # the first row of the same group

    def seen(self) -> np.ndarray:
        return self._given(self.index - self.start)

    def first(self, values: np.ndarray) -> np.ndarray:
        """The group's first of ``values``; a group's first row sees its own."""
        return self._given(values[self.order][self.start])

    def previous(self, values: np.ndarray) -> np.ndarray:
        """The group's previous of ``values``; a group's first row sees its own."""
        return self._given(values[self.order][np.maximum(self.index - 1, self.start)])

    def sum(self, values: np.ndarray) -> np.ndarray:
        return self._sum_from(self.start, values)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Mean of the earlier ``values``; a group's first row sees its own."""
        seen = self.seen()
        return np.where(seen > 0, self.sum(values) / np.maximum(seen, 1), values)

    def within(self, seconds: int, *values: np.ndarray) -> list[np.ndarray]:
        """How many earlier rows are at most ``seconds`` ago, then the sum of each of ``values`` over them."""
        span = int(self.time.max()) + 2 * seconds + 1  # one axis for all groups: windows never reach into another
        key = np.cumsum(np.diff(self.group, prepend=self.group[0]) != 0) * span + self.time + seconds
        first = np.maximum(np.searchsorted(key, key - seconds), self.start)
        return [self._given(self.index - first), *(self._sum_from(first, column) for column in values)]

    def _sum_from(self, first: np.ndarray, values: np.ndarray) -> np.ndarray:
        total = np.cumsum(np.append(values.dtype.type(0), values[self.order]))
        return self._given(total[self.index] - total[first])

    def _given(self, values: np.ndarray) -> np.ndarray:
        back = np.empty_like(values)
        back[self.order] = values
        return back


def deviation(past: Past, values: np.ndarray) -> np.ndarray:
    """How many standard deviations ``values`` lie above their group's earlier ones; 0 where there are none.

    The variance is taken as if ``PRIOR_ROWS`` rows of variance ``PRIOR_VARIANCE`` came first: two equal purchases do
    not make the third a surprise.
    """
    seen, mean = past.seen(), past.mean(values)
    squares = np.maximum(past.sum(values**2) - seen * mean**2, 0)
    return (values - mean) / np.sqrt((squares + PRIOR_ROWS * PRIOR_VARIANCE) / (seen + PRIOR_ROWS))


def history(rows: Columns) -> Columns:
    """What the card did before each of its transactions: how lately, how much, and whether it ever did the like.

    ``habit`` counts how often the card bought in this category in this half of the day. Three marks are counted over
    the card's earlier rows of today (``_today``) and of the last two days (``_2d``): ``novel``, the first of its habit;
    ``night``; ``odd``, an amount far from the card's usual in the category (``deviation``).
    """
    time, amount, logarithm = rows["time"], rows["amt"], np.log(np.maximum(rows["amt"], CENT))
    card = np.unique(rows["card"], return_inverse=True)[1]
    category = card * len(CATEGORIES) + rows["category"]
    day, hour = time // DAY - time.min() // DAY, time % DAY // HOUR
    own, spent, today = Past(card, time), Past(category, time), Past(card * (day.max() + 1) + day, time)
    seen, habit, category_seen = own.seen(), Past(category * 2 + (hour >= 12), time).seen(), spent.seen()
    surprise = deviation(spent, logarithm)
    previous = own.previous(time)
    mean_gap = np.maximum(previous - own.first(time), HOUR) / np.maximum(seen - 1, 1)
    columns = {
        "seen": seen,
        "habit": habit,
        "category_seen": category_seen,
        "habit_share": (habit + 0.5) / (category_seen + 1),
        "previous_amt": np.where(seen > 0, own.previous(amount), -1.0),
        "amt_to_mean": amount / np.maximum(own.mean(amount), CENT),
        "amt_to_category_mean": amount / np.maximum(spent.mean(amount), CENT),
        "deviation": surprise,
        "since_last": np.where(seen > 0, np.log1p(time - previous), -1.0),
        "gap_to_mean": np.where(seen > 1, np.log((time - previous + MINUTE) / mean_gap), NO_GAP),
        "count_today": today.seen(),
    }
    for name, seconds in WINDOWS.items():
        columns[f"count_{name}"], columns[f"sum_{name}"] = own.within(seconds, amount)
    marks = {"novel": habit == 0, "night": (hour >= 22) | (hour < 4), "odd": np.abs(surprise) > ODD}
    counted = [mark.astype(np.int64) for mark in marks.values()]
    for name, mark, lately in zip(marks, counted, own.within(2 * DAY, *counted)[1:], strict=True):
        columns[f"{name}_today"], columns[f"{name}_2d"] = today.sum(mark), lately
    return columns


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
        edges = {name: edges_of(column, BINS) for name, column in numeric.items()}
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
