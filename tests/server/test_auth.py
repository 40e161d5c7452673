import pytest

from sidings.api.status import Forbidden, Unauthorized
from sidings.server.auth import ADMIN, Gate, StaticTokens, authenticate

TOKENS = StaticTokens({"right": ADMIN})


def test_the_right_token() -> None:
    assert authenticate(TOKENS, {b"authorization": b"Bearer right"}) is ADMIN
    assert authenticate(TOKENS, {b"authorization": b"bearer right"}) is ADMIN


@pytest.mark.parametrize("value", [b"", b"Bearer", b"Bearer ", b"Bearer wrong", b"Bearer righ", b"Basic right"])
def test_everything_else_is_unauthorized(value: bytes) -> None:
    with pytest.raises(Unauthorized, match=r"^Unauthorized$"):
        authenticate(TOKENS, {b"authorization": value})


def test_no_header_is_unauthorized() -> None:
    with pytest.raises(Unauthorized):
        authenticate(TOKENS, {})


@pytest.mark.parametrize("host", [b"127.0.0.1:6443", b"localhost", b"[::1]:6443", b"LOCALHOST:1"])
def test_our_own_names_pass(host: bytes) -> None:
    gate = Gate(["127.0.0.1", "::1", "localhost"])
    gate.check({b"host": host})
    gate.check({b"host": host, b"origin": b"https://" + host})


@pytest.mark.parametrize("host", [b"evil.example", b"evil.example:6443", b"", b"127.0.0.1.evil.example", b"[::1"])
def test_other_names_do_not(host: bytes) -> None:
    with pytest.raises(Forbidden):
        Gate(["127.0.0.1", "::1", "localhost"]).check({b"host": host})


@pytest.mark.parametrize("origin", [b"https://evil.example", b"http://localhost:1", b"null"])
def test_other_origins_do_not(origin: bytes) -> None:
    with pytest.raises(Forbidden):
        Gate(["localhost"]).check({b"host": b"localhost:1", b"origin": origin})
