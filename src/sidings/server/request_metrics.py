"""What the API server did: kube-apiserver's own metrics (v1.36), so that dashboards and alerts made for it work here.

Requests are told by verb and resource with kube-apiserver's labels and buckets. Long-running ones (watches, followed
logs, sessions) count as such while they run and are no latency.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterator
from contextlib import contextmanager

from sidings.api import exposition
from sidings.api.exposition import Counter, Histogram
from sidings.server.discovery import SUBRESOURCES
from sidings.server.paths import ResourcePath

LABELS = ("verb", "group", "version", "resource", "subresource", "scope")
BUCKETS = (
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0,
    45.0, 60.0,
)  # fmt: skip
"""``apiserver/pkg/endpoints/metrics``: what a request should take, up to its limit."""
WRITES = ("POST", "PUT", "PATCH", "DELETE")
OTHER = "OTHER"
"""A method that nobody serves; whatever a client calls it."""


class RequestMetrics:
    """Told of every request by the application."""

    def __init__(self) -> None:
        self._duration = Histogram(
            "apiserver_request_duration_seconds", "Response latency distribution in seconds.", LABELS, BUCKETS
        )
        self._total = Counter("apiserver_request_total", "Requests by verb, resource and HTTP code.", (*LABELS, "code"))
        self._running: Counts[exposition.Labels] = Counts()
        self._in_flight: Counts[str] = Counts()
        self.begun = 0
        """Requests since the start."""

    def begin(self, labels: exposition.Labels) -> None:
        self.begun += 1
        self._in_flight[_kind_of(labels)] += 1

    def end(self, labels: exposition.Labels, code: int, seconds: float) -> None:
        """A request was answered with ``code``; of a stream, its head."""
        self._in_flight[_kind_of(labels)] -= 1
        self._total.add((*labels, str(code)))
        self._duration.observe(labels, seconds)

    @contextmanager
    def streaming(self, labels: exposition.Labels) -> Iterator[None]:
        """While a watch, a followed log or a session runs."""
        self._running[labels] += 1
        try:
            yield
        finally:
            self._running[labels] -= 1

    @property
    def in_flight(self) -> int:
        """Requests that are not answered yet, streams aside."""
        return sum(self._in_flight.values())

    def lines(self) -> list[str]:
        long_running = [(dict(zip(LABELS, labels, strict=True)), count) for labels, count in self._running.items()]
        in_flight = [({"request_kind": kind}, count) for kind, count in sorted(self._in_flight.items())]
        return [
            *self._duration.lines(),
            *self._total.lines(),
            *exposition.family(
                "apiserver_longrunning_requests", "gauge", "Watches, followed logs and sessions now.", long_running
            ),
            *exposition.family("apiserver_current_inflight_requests", "gauge", "Requests being served.", in_flight),
        ]


def labels_of(method: str, path: ResourcePath | None, *, watch: bool = False) -> exposition.Labels:
    """A request's labels; ``path`` None for what is no resource. Nothing in them is a client's to choose freely."""
    if path is None:
        return ("GET" if method == "GET" else OTHER, "", "", "", "", "")
    subresource = path.subresource if path.subresource in SUBRESOURCES else ""
    if method == "GET":
        verb = "WATCH" if watch or path.watch else "GET" if path.name else "LIST"
    else:
        verb = method if method in WRITES else OTHER
    scope = "resource" if path.name else "namespace" if path.namespace else "cluster"
    return (verb, path.group, path.version, path.plural, subresource, scope)


def _kind_of(labels: exposition.Labels) -> str:
    return "readOnly" if labels[0] in ("GET", "LIST", "WATCH") else "mutating"
