"""Tokens of a pod: asked for once, renewed in time."""

from datetime import timedelta
from typing import Any

import pytest

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.api.resources import SERVICE_ACCOUNTS, Resource
from sidings.clock import ManualClock
from sidings.node.volumes.tokens import PodTokens
from tests.node.pods import pod

VOLUME = {
    "name": "t",
    "projected": {
        "sources": [
            {"serviceAccountToken": {"path": "token", "expirationSeconds": 1000}},
            {"serviceAccountToken": {"path": "vault", "audience": "vault"}},
        ]
    },
}


class Issuer:
    """The one request that tokens need of a client."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.asked: list[Object] = []

    async def create(self, resource: Resource, obj: Object, **where: Any) -> Object:
        assert (resource, where["subresource"]) == (SERVICE_ACCOUNTS, "token")
        self.asked.append({**obj["spec"], "account": where["name"]})
        ends = self.clock.now() + timedelta(seconds=obj["spec"]["expirationSeconds"])
        return {"status": {"token": f"t{len(self.asked)}", "expirationTimestamp": timestamps.to_text(ends)}}


@pytest.fixture
def issuer() -> Issuer:
    return Issuer(ManualClock())


async def test_one_for_each_audience_bound_to_the_pod(issuer: Issuer) -> None:
    made = pod(volumes=[VOLUME], serviceAccountName="trainer")
    texts = await PodTokens(issuer, issuer.clock).texts(made)  # type: ignore[arg-type]
    assert texts == {("", 1000): "t1", ("vault", 3600): "t2"}
    first, second = issuer.asked
    assert first["audiences"] == [] and second["audiences"] == ["vault"]
    assert first["account"] == "trainer"
    assert first["boundObjectRef"]["uid"] == made["metadata"]["uid"]


async def test_renewed_after_four_fifths_of_its_life(issuer: Issuer) -> None:
    tokens, made = PodTokens(issuer, issuer.clock), pod(volumes=[VOLUME])  # type: ignore[arg-type]
    await tokens.texts(made)
    issuer.clock.advance(799)
    assert (await tokens.texts(made))["", 1000] == "t1"
    issuer.clock.advance(1)
    assert (await tokens.texts(made)) == {("", 1000): "t3", ("vault", 3600): "t2"}
