"""Where a training process reports how far it is: ``POST .../trainjobs/NAME/status`` (Trainer 2.3, pkg/statusserver).

Upstream this is a server of its own beside the controller; here it is a path of the API server, which pods reach by
the name of that Service. Who may post is a pod with a token made out for exactly this TrainJob: its audience is the
path, its service account lives in the namespace. The body replaces ``status.trainerStatus`` as a whole. Answers are
upstream's, whose messages say little on purpose.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.api.rbac import SERVICE_ACCOUNT_PREFIX
from sidings.api.resources import TRAIN_JOBS
from sidings.api.status import Forbidden, Invalid, NotFound, RequestEntityTooLarge
from sidings.api.trainer import words
from sidings.registry import patch
from sidings.registry.registry import Registry
from sidings.server.paths import GroupPath, ResourcePath
from sidings.server.requests import Request
from sidings.server.responses import Response, json_response
from sidings.server.service_account_tokens import ServiceAccountTokens

LIMIT_BYTES = 64 * 1024
FIELD_MANAGER = "trainer-status"


def concerns(request: Request, path: ResourcePath | GroupPath | None) -> bool:
    """Whether this is a report, which has a token and rules of its own, and no request of an API client."""
    return (
        request.method == "POST"
        and isinstance(path, ResourcePath)
        and (path.group, path.version, path.plural) == TRAIN_JOBS[:3]
        and path.subresource == "status"
    )


class TrainingStatus:
    """Takes reports for one registry."""

    def __init__(self, registry: Registry, tokens: ServiceAccountTokens) -> None:
        self._registry = registry
        self._tokens = tokens

    async def answer(self, request: Request, path: ResourcePath) -> Response:
        """Raises ``Forbidden``, ``Invalid``, ``NotFound``, ``RequestEntityTooLarge``."""
        self._check_token(request, path)
        raw = await request.body()
        if len(raw) > LIMIT_BYTES:
            raise RequestEntityTooLarge("Payload too large")
        report = _decoded(raw)
        if report.get("trainerStatus"):
            await self._apply(path, report["trainerStatus"])
        return json_response(200, report)

    def _check_token(self, request: Request, path: ResourcePath) -> None:
        words_given = request.text(b"authorization").split()
        if len(words_given) != 2 or words_given[0].lower() != "bearer":
            raise Forbidden("Forbidden")
        found = self._tokens.review(words_given[1].encode(), (words.status_audience(path.namespace, path.name),))
        if found is None or not found[0].name.startswith(f"{SERVICE_ACCOUNT_PREFIX}{path.namespace}:"):
            raise Forbidden("Forbidden")

    async def _apply(self, path: ResourcePath, status: Object) -> None:
        kind = self._kind()
        body: Object = {
            "apiVersion": TRAIN_JOBS.api_version,
            "kind": TRAIN_JOBS.kind,
            "metadata": {"name": path.name, "namespace": path.namespace},
            "status": {"trainerStatus": status},
        }
        try:
            self._registry.get(kind, path.name, path.namespace)
        except NotFound:
            raise NotFound("Train job not found") from None
        options = WriteOptions(field_manager=FIELD_MANAGER, force=True)
        await self._registry.patch(
            kind, path.name, body, path.namespace, options, patch_type=patch.APPLY, subresource=path.subresource
        )

    def _kind(self) -> Kind:
        kind = self._registry.catalog.by_plural(*TRAIN_JOBS[:3])
        assert kind is not None, "TrainJob is a kind of our own"
        return kind


def _decoded(raw: bytes) -> Object:
    try:
        report: Any = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        report = None
    if not isinstance(report, dict) or not isinstance(report.get("trainerStatus") or {}, dict):
        raise Invalid("Invalid payload")
    return report
