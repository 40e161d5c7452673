"""What controllers do: the metrics of controller-runtime (0.21) and of client-go's work queue, under their names.

The work queue sees every key come, be taken, fail and be done with, so it alone observes; no controller does.
"""

from __future__ import annotations

from collections.abc import Mapping

from sidings.api import exposition
from sidings.api.exposition import Counter, Histogram

RECONCILE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
QUEUE_BUCKETS = (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 60.0)
SUCCESS, ERROR = "success", "error"


class ControllerMetrics:
    """Figures of all controllers of one control plane."""

    def __init__(self) -> None:
        self.total = Counter(
            "controller_runtime_reconcile_total", "Reconciliations per controller.", ("controller", "result")
        )
        self.seconds = Histogram(
            "controller_runtime_reconcile_time_seconds",
            "Length of time per reconciliation per controller.",
            ("controller",),
            RECONCILE_BUCKETS,
        )
        self.waited = Histogram(
            "workqueue_queue_duration_seconds",
            "How long a key waits in the work queue for a worker.",
            ("name",),
            QUEUE_BUCKETS,
        )
        self.adds = Counter("workqueue_adds_total", "Keys that the work queue took up.", ("name",))
        self.retries = Counter("workqueue_retries_total", "Keys that come back after a failure.", ("name",))

    def of(self, controller: str) -> QueueFigures:
        return QueueFigures(self, controller)

    def lines(self, depths: Mapping[str, int]) -> list[str]:
        """``depths``: how many keys wait for a worker, by controller."""
        waiting = [({"name": name}, depth) for name, depth in depths.items()]
        return [
            *exposition.family("workqueue_depth", "gauge", "Keys that wait in the work queue.", waiting),
            *self.adds.lines(),
            *self.retries.lines(),
            *self.waited.lines(),
            *self.total.lines(),
            *self.seconds.lines(),
        ]


class QueueFigures:
    """What the work queue of one controller observes."""

    def __init__(self, metrics: ControllerMetrics, controller: str) -> None:
        self._metrics = metrics
        self._labels = (controller,)

    def added(self) -> None:
        self._metrics.adds.add(self._labels)

    def taken(self, waited: float) -> None:
        self._metrics.waited.observe(self._labels, waited)

    def retried(self) -> None:
        self._metrics.retries.add(self._labels)

    def worked(self, seconds: float, *, failed: bool) -> None:
        self._metrics.total.add((*self._labels, ERROR if failed else SUCCESS))
        self._metrics.seconds.observe(self._labels, seconds)
