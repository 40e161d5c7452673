"""Exact ranking metrics, compared with their definitions."""

import metrics
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=60))
def test_auc_is_the_chance_that_a_positive_ranks_higher(pairs: list[tuple[bool, int]]) -> None:
    positive = [score for label, score in pairs if label]
    negative = [score for label, score in pairs if not label]
    assume(positive and negative)
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    label, score = (np.array(column) for column in zip(*pairs, strict=True))
    found = metrics.quality(label, score.astype(float))
    assert found["auc"] == pytest.approx(wins / (len(positive) * len(negative)))


@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_average_precision_without_ties(labels: list[bool]) -> None:
    assume(any(labels) and not all(labels))
    precision = [sum(labels[: i + 1]) / (i + 1) for i, label in enumerate(labels) if label]
    found = metrics.quality(np.array(labels), -np.arange(len(labels), dtype=float))
    assert found["ap"] == pytest.approx(sum(precision) / len(precision))


def test_recall_at_one_percent() -> None:
    label = np.concatenate([np.ones(4), np.zeros(1000)])
    score = np.concatenate([[5.0, 5.0, 5.0, -5.0], np.linspace(-1, 1, 1000)])
    assert metrics.quality(label, score)["recall_at_1pct_fpr"] == pytest.approx(0.75)


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="both classes"):
        metrics.quality(np.zeros(3), np.arange(3.0))
