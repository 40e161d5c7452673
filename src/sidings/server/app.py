"""The ASGI application: from a request to an answer, and whatever goes wrong on the way to a Status.

A plain ASGI callable without a framework's router and middleware: there is one route that matters, its grammar is
Kubernetes' own (``paths``), and every request passes the same four steps, which therefore read as four lines here.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterable

from sidings.api.exposition import Labels
from sidings.api.pods import PodAccess
from sidings.api.status import ApiError, InternalError, NotFound, Timeout
from sidings.api.telemetry import Telemetry
from sidings.api.visibility import PendingWorkloads
from sidings.clock import Clock
from sidings.errors import SidingsError
from sidings.registry.registry import Registry
from sidings.server import health, issuer, names, telemetry, training_status, upgrades, visibility
from sidings.server.asgi import Receive, Scope, Send
from sidings.server.auth import ADMIN, Authenticator, FirstOf, Gate, User, authenticate
from sidings.server.authorization import Authorizer, attributes_of
from sidings.server.bodies import ClientGone
from sidings.server.documents import Documents
from sidings.server.impersonation import acting_user
from sidings.server.limits import REQUEST_SECONDS
from sidings.server.objects import Objects
from sidings.server.paths import GroupPath, ResourcePath, parse
from sidings.server.request_metrics import RequestMetrics, labels_of
from sidings.server.requests import Request
from sidings.server.responses import NOT_FOUND, Response, Stream, error_response, send_response
from sidings.server.service_account_tokens import ServiceAccountTokens
from sidings.server.signing_key import SigningKey
from sidings.server.streams import send_stream
from sidings.server.web_socket import WebSocket

log = logging.getLogger(__name__)

CLIENT_GONE = 499
"""The code under which a request is counted whose client hung up before it was answered."""
ALWAYS_ALLOWED = (ADMIN, telemetry.SCRAPER)
"""The administrator, and who has been shown to ask for nothing but the metrics."""


class App:
    """The API of one registry. ``close`` ends all streams; requests are still answered."""

    def __init__(
        self,
        registry: Registry,
        pods: PodAccess,
        authenticator: Authenticator,
        clock: Clock,
        rng: random.Random,
        *,
        hosts: Iterable[str] = (*names.LOOPBACK, *names.DNS),
        measured: Telemetry | None = None,
        signing_key: SigningKey | None = None,
        pending: PendingWorkloads | None = None,
    ) -> None:
        """``hosts``: names and addresses that a Host header may name; those of the certificate, unless it has more.

        ``measured``: what the pods do, where somebody measures it. ``signing_key``: of service accounts' tokens;
        without one they end with this application. ``pending``: who waits for queues, where there is a scheduler.
        """
        self.tokens = ServiceAccountTokens(registry, clock, rng, signing_key)
        self.metrics = RequestMetrics()
        self._registry = registry
        self._clock = clock
        self._authenticator = FirstOf(authenticator, self.tokens)
        self._authorizer = Authorizer(registry)
        self._measured = measured
        self._pending = pending
        self._gate = Gate(hosts)
        self._documents = Documents(registry)
        self._objects = Objects(registry, pods, clock, rng, self._documents, self._authorizer, self.tokens)
        self._training_status = training_status.TrainingStatus(registry, self.tokens)
        self._upgrades = upgrades.Upgrades(registry, pods)
        self._closing = asyncio.Event()

    def close(self) -> None:
        self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._upgrade(WebSocket(scope, receive, send), Request(scope, receive))
            return
        request = Request(scope, receive)
        path = parse(request.path)
        labels = self._labels(request, path)
        answer = await self._measured_answer(request, path, labels)
        if isinstance(answer, Response):
            await send_response(send, answer)
        elif answer is not None:
            with self.metrics.streaming(labels):
                await send_stream(send, receive, answer, self._closing)

    def _labels(self, request: Request, path: ResourcePath | GroupPath | None) -> Labels:
        """Those of what is served alone, so that clients cannot make up as many as they like."""
        if isinstance(path, ResourcePath) and self._registry.catalog.by_plural(path.group, path.version, path.plural):
            return labels_of(request.method, path, watch=request.query.flag("watch"))
        return labels_of(request.method, None)

    async def _measured_answer(
        self, request: Request, path: ResourcePath | GroupPath | None, labels: Labels
    ) -> Response | Stream | None:
        """None where the client is gone."""
        code, began = CLIENT_GONE, self._clock.monotonic()
        self.metrics.begin(labels)
        try:
            answer = await self._bounded_answer(request, path)
            code = answer.status if isinstance(answer, Response) else 200
            return answer
        except ClientGone:
            return None
        finally:
            self.metrics.end(labels, code, self._clock.monotonic() - began)

    async def _upgrade(self, socket: WebSocket, request: Request) -> None:
        try:
            self._gate.check(request.headers)
            request.user = self._user_of(request)
            path = parse(request.path)
            if not isinstance(path, ResourcePath):
                raise NotFound("the server could not find the requested resource")
            self._authorizer.check(request.user, attributes_of(request, path))
            subprotocol, work = self._upgrades.prepare(request, path, socket)
        except ApiError as error:
            await socket.refuse(error_response(error))
            return
        with self.metrics.streaming(self._labels(request, path)):
            await upgrades.serve(socket, subprotocol, work, self._closing)

    async def _bounded_answer(self, request: Request, path: ResourcePath | GroupPath | None) -> Response | Stream:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await self._answer(request, path)
        except ApiError as error:
            return error_response(error, request.warning_headers())
        except TimeoutError:
            log.warning("%s %s took longer than %.0f s", request.method, request.path, REQUEST_SECONDS)
            return error_response(Timeout("request did not complete within the allotted timeout"))
        except ClientGone:
            raise
        except SidingsError as error:
            # The engine itself cannot, for a reason it knows: a full disk, for one. The client's user is told how to
            # mend it, because nobody may be reading the log.
            log.error("%s %s failed: %s: %s", request.method, request.path, error.what, error.cause)
            told = ": ".join(part for part in ("Internal error occurred", error.what, error.cause) if part)
            return error_response(InternalError(f"{told} (mend it: {error.remedy})" if error.remedy else told))
        except Exception as error:
            # One request that meets a bug must get an answer, and the engine must go on with all others.
            log.exception("%s %s failed unexpectedly", request.method, request.path)
            return error_response(InternalError(f"Internal error occurred: {type(error).__name__}: {error}"))

    def _user_of(self, request: Request) -> User:
        """Who asks, or whom that user acts as. Raises ``Unauthorized``, ``Forbidden``."""
        user = authenticate(self._authenticator, request.headers)
        return acting_user(request.headers, request.raw_headers, user, self._authorizer)

    async def _answer(self, request: Request, path: ResourcePath | GroupPath | None) -> Response | Stream:
        healthy = health.answer(request.path, request.query)
        if healthy is not None:
            return healthy
        self._gate.check(request.headers)
        if isinstance(path, ResourcePath) and training_status.concerns(request, path):
            return await self._training_status.answer(request, path)
        request.user = self._user_of(request)
        telemetry.check(request)
        if request.user not in ALWAYS_ALLOWED:
            self._authorizer.check(
                request.user, attributes_of(request, path if isinstance(path, ResourcePath) else None)
            )
        if isinstance(path, ResourcePath) and visibility.concerns(path):
            return visibility.answer(request.method, path, request.query, self._pending)
        if isinstance(path, ResourcePath):
            return await self._objects.answer(request, path)
        if isinstance(path, GroupPath):
            return self._documents.group(path)
        return (
            telemetry.answer(request, self._measured, self.metrics)
            or self._documents.answer(request)
            or issuer.answer(request, self.tokens)
            or NOT_FOUND
        )
