"""Ranking quality, exact: equal scores count as one threshold, as in scikit-learn."""

from __future__ import annotations

import numpy as np


def curve(label: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(true positives, false positives) at or above each distinct score, highest score first."""
    order = np.argsort(-score, kind="stable")
    last_of_equal = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    true = np.cumsum(label[order], dtype=np.float64)[last_of_equal]
    return true, 1 + last_of_equal - true


def quality(label: np.ndarray, score: np.ndarray) -> dict[str, float]:
    """AUC-ROC, average precision, and recall at 1 % false positives of ``score`` for binary ``label``."""
    true, false = curve(label, score)
    positives, negatives = true[-1], false[-1]
    if not positives or not negatives:
        raise ValueError("quality needs rows of both classes")
    tpr, fpr = np.append(0, true / positives), np.append(0, false / negatives)
    precision = true / (true + false)
    return {
        "auc": float(np.trapezoid(tpr, fpr) if hasattr(np, "trapezoid") else np.trapz(tpr, fpr)),
        "ap": float(np.sum(np.diff(tpr) * precision)),
        "recall_at_1pct_fpr": float(np.interp(0.01, fpr, tpr)),
    }
