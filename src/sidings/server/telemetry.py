"""``/metrics`` for Prometheus and the figures by job for ``sidings top``.

Both need a token like everything else. A scraper's own token opens ``/metrics`` and nothing more, so that a monitoring
system does not hold a key that starts processes.
"""

from __future__ import annotations

from sidings.api import exposition
from sidings.api.status import Forbidden
from sidings.api.telemetry import JOBS_PATH, Telemetry
from sidings.server.auth import User
from sidings.server.request_metrics import RequestMetrics
from sidings.server.requests import Request
from sidings.server.responses import Response, json_response

METRICS_PATH = "/metrics"
SCRAPER = User("sidings:scraper", "scraper", ("system:authenticated",))


def check(request: Request) -> None:
    """Raises Forbidden where the scraper asks for anything but the metrics."""
    if request.user == SCRAPER and request.path != METRICS_PATH:
        raise Forbidden(f'forbidden: User "{SCRAPER.name}" cannot get path "{request.path}"')


def answer(request: Request, telemetry: Telemetry | None, own: RequestMetrics) -> Response | None:
    """The answer where the path is one of ours. ``own`` is what this server did; the rest is ``telemetry``'s."""
    if request.method != "GET":
        return None
    if request.path == METRICS_PATH:
        others = telemetry.exposition() if telemetry is not None else ""
        return Response(200, (exposition.text(own.lines()) + others).encode(), exposition.MEDIA_TYPE.encode())
    if request.path == JOBS_PATH and telemetry is not None:
        query = request.query
        return json_response(200, {"jobs": telemetry.jobs(query.text("namespace"), course=query.flag("course"))})
    return None
