"""Whose a token is, for how long, and what is no token of ours."""

import base64
import json
import random
from datetime import UTC, datetime

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import SERVICE_ACCOUNTS
from sidings.clock import ManualClock
from sidings.registry.registry import Registry
from sidings.server.service_account_tokens import ServiceAccountTokens
from sidings.server.signing_key import SigningKey, base64_url
from sidings.store.store import Store

KEY = SigningKey.new()


class World:
    def __init__(self) -> None:
        self.clock = ManualClock(datetime(2026, 11, 30, 12, tzinfo=UTC))
        self.registry = Registry(Store.in_memory(), catalog.builtin(), self.clock, random.Random(1))
        self.tokens = ServiceAccountTokens(self.registry, self.clock, random.Random(2), KEY)

    async def account(self) -> Object:
        for plural, name, namespace in (("namespaces", "n", ""), ("serviceaccounts", "sa", "n")):
            kind = self.registry.catalog.by_plural("", "v1", plural)
            assert kind is not None
            made = await self.registry.create(kind, {"metadata": {"name": name}}, namespace=namespace)
        return made

    def issued(self, account: Object, **spec: object) -> bytes:
        return str(self.tokens.issue(account, {"spec": spec})["status"]["token"]).encode()


async def test_a_token_says_whose_it_is_until_its_end() -> None:
    world = World()
    token = world.issued(await world.account(), expirationSeconds=600)
    user = world.tokens.user_of(token)
    assert user is not None
    assert user.name == "system:serviceaccount:n:sa"
    world.clock.advance(600)
    assert world.tokens.user_of(token) is None


async def test_a_token_ends_with_its_account_and_is_known_after_a_restart() -> None:
    world = World()
    account = await world.account()
    token = world.issued(account)
    again = SigningKey.of_pem(KEY.pem())
    assert ServiceAccountTokens(world.registry, world.clock, random.Random(3), again).user_of(token) is not None
    kind = world.registry.catalog.by_plural(*SERVICE_ACCOUNTS[:3])
    assert kind is not None
    await world.registry.delete(kind, "sa", "n")
    assert world.tokens.user_of(token) is None


@pytest.mark.parametrize("token", [b"", b"a", b"a.b", b"a.b.c", b"..", b"a.b.!!", b"\xff.\xff.\xff", b"a.b.c.d"])
async def test_what_is_no_token(token: bytes) -> None:
    assert World().tokens.user_of(token) is None


async def test_neither_other_claims_nor_another_algorithm_pass() -> None:
    world = World()
    header, claims, signature = world.issued(await world.account()).split(b".")
    told = json.loads(base64.urlsafe_b64decode(claims + b"=="))
    forged = base64_url(json.dumps({**told, "sub": "system:serviceaccount:kube-system:admin"}).encode()).encode()
    assert world.tokens.user_of(b".".join((header, forged, signature))) is None
    unsigned = base64_url(b'{"alg":"none"}').encode()
    assert world.tokens.user_of(b".".join((unsigned, claims, b""))) is None
