import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sidings.server import pki

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def test_everything_is_private_and_stays(tmp_path: Path) -> None:
    first = pki.ensure(tmp_path / "pki", NOW)
    again = pki.ensure(tmp_path / "pki", NOW)
    assert replace(again, signing_key=first.signing_key) == first
    assert again.signing_key.id == first.signing_key.id
    assert len(first.token) >= 32
    assert (tmp_path / "pki").stat().st_mode & 0o777 == 0o700
    for file in (tmp_path / "pki").iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_key_of_another_kind_for_tokens_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "service-accounts.key").write_text("a-secret-of-an-earlier-engine")
    first = pki.ensure(tmp_path, NOW)
    assert pki.ensure(tmp_path, NOW).signing_key.id == first.signing_key.id


def test_the_server_certificate_is_renewed_before_it_expires(tmp_path: Path) -> None:
    first = pki.ensure(tmp_path, NOW)
    certificate = first.certificate_file.read_bytes()
    later = pki.ensure(tmp_path, NOW + pki.SERVER_LIFE - timedelta(days=29))
    assert later.authority == first.authority
    assert later.token == first.token
    assert later.certificate_file.read_bytes() != certificate


def test_a_new_address_makes_a_new_server_certificate(tmp_path: Path) -> None:
    certificate = pki.ensure(tmp_path, NOW).certificate_file.read_bytes()
    pki.ensure(tmp_path, NOW, ["10.1.2.3"])
    renewed = (tmp_path / "server.crt").read_bytes()
    assert renewed != certificate
    pki.ensure(tmp_path, NOW)
    assert (tmp_path / "server.crt").read_bytes() == renewed, "it still names all that is asked for"


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "kubernetes.default.svc"])
def test_a_strict_client_believes_the_certificate(tmp_path: Path, name: str) -> None:
    identity = pki.ensure(tmp_path, datetime.now(UTC))
    client = ssl.create_default_context(cadata=identity.authority.decode())
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(identity.certificate_file, identity.key_file)
    _handshake(client, server, name)


def _handshake(client: ssl.SSLContext, server: ssl.SSLContext, name: str) -> None:
    """A TLS handshake in memory; raises ssl.SSLError where it fails."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    waiting = set(sides)
    for _ in range(10):
        for side in list(waiting):
            try:
                side.do_handshake()
                waiting.discard(side)
            except ssl.SSLWantReadError:
                pass
    assert not waiting
