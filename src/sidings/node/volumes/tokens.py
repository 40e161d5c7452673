"""The service account tokens of one pod, asked for once and renewed before they end.

Renewed as kubelet renews them (``pkg/kubelet/token/token_manager.go``, v1.36): when four fifths of a token's time are
over, or after a day. A token is bound to its pod, so the API refuses it from the moment the pod is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from sidings.api import timestamps
from sidings.api.objects import Object, namespace_of
from sidings.api.resources import PODS, SERVICE_ACCOUNTS
from sidings.api.service_accounts import DEFAULT_ACCOUNT
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.node.volumes.projected import TokenKey, wanted_tokens

SHARE_OF_LIFE = 0.8
LONGEST_USE = timedelta(hours=24)


class _Token(NamedTuple):
    text: str
    renew_at: datetime


class PodTokens:
    """Remembers the tokens of one pod; after a restart of the agent they are asked for anew."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._known: dict[TokenKey, _Token] = {}

    async def texts(self, pod: Object) -> Mapping[TokenKey, str]:
        """Every token that the volumes of ``pod`` ask for; raises ``ApiError`` where the API gives none."""
        now = self._clock.now()
        for key in wanted_tokens(pod):
            known = self._known.get(key)
            if known is None or now >= known.renew_at:
                self._known[key] = await self._ask(pod, key, now)
        return {key: token.text for key, token in self._known.items()}

    async def _ask(self, pod: Object, key: TokenKey, now: datetime) -> _Token:
        audience, seconds = key
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {
                "audiences": [audience] if audience else [],
                "expirationSeconds": seconds,
                "boundObjectRef": {
                    "apiVersion": PODS.api_version,
                    "kind": PODS.kind,
                    "name": pod["metadata"]["name"],
                    "uid": pod["metadata"]["uid"],
                },
            },
        }
        account = pod["spec"].get("serviceAccountName") or DEFAULT_ACCOUNT
        answer = await self._client.create(
            SERVICE_ACCOUNTS, request, namespace=namespace_of(pod), name=account, subresource="token"
        )
        status = answer["status"]
        life = timestamps.from_text(status["expirationTimestamp"]) - now
        return _Token(str(status["token"]), now + min(life * SHARE_OF_LIFE, LONGEST_USE))
