"""The engine's own certificate authority: nobody else's signature is needed, and nobody else's is trusted.

One authority per state directory, made once; a server certificate that is issued anew when it is about to expire or
does not name an address that is asked for. Clients authenticate with a bearer token. Python 3.13 verifies in strict
mode (RFC 5280): key usage and subject/authority key identifiers are therefore always there.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sidings.server.names import DNS, LOOPBACK
from sidings.server.signing_key import SigningKey

AUTHORITY_LIFE = timedelta(days=3650)
SERVER_LIFE = timedelta(days=365)
RENEW_BEFORE = timedelta(days=30)
CLOCK_SKEW = timedelta(minutes=5)

_PRIVATE = 0o600


@dataclass(frozen=True)
class Identity:
    """Where a server finds what it proves itself with, and what a client needs to know to believe it."""

    certificate_file: Path
    key_file: Path
    authority: bytes
    """The authority's certificate, PEM."""
    token: str
    """The bearer token of the one administrator."""
    signing_key: SigningKey
    """What the tokens of service accounts are signed with."""


@dataclass(frozen=True)
class Pair:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def ensure(folder: Path, now: datetime, addresses: Iterable[str] = ()) -> Identity:
    """Load the identity kept in ``folder`` (mode 0700, made if missing), making or renewing what is missing or stale.

    ``addresses``: IP addresses beyond loopback that clients will use. The token never changes once made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    authority = _load(folder, "ca")
    if authority is None:
        authority = new_authority(now)
        _store(folder, "ca", authority)
    wanted = [*LOOPBACK, *addresses]
    server = _load(folder, "server")
    if server is None or not _still_good(server.certificate, authority.certificate, now, wanted):
        server = issue_server(authority, now, wanted)
        _store(folder, "server", server)
    return Identity(
        folder / "server.crt",
        folder / "server.key",
        authority.certificate_pem(),
        token=_token(folder / "token"),
        signing_key=_signing_key(folder / "service-accounts.key"),
    )


def new_authority(now: datetime) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("sidings-ca")
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    builder = (
        _builder(name, name, key.public_key(), now, AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
    )
    return Pair(builder.sign(key, hashes.SHA256()), key)


def issue_server(authority: Pair, now: datetime, addresses: Iterable[str]) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    names: list[x509.GeneralName] = [x509.DNSName(name) for name in DNS]
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    identifier = authority.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    builder = (
        _builder(_name("sidings-apiserver"), authority.certificate.subject, key.public_key(), now, SERVER_LIFE)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
    )
    return Pair(builder.sign(authority.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, life: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + life)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _still_good(
    certificate: x509.Certificate, authority: x509.Certificate, now: datetime, addresses: Iterable[str]
) -> bool:
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    known = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
    wanted = {str(ipaddress.ip_address(address)) for address in addresses}
    return (
        certificate.issuer == authority.subject
        and certificate.not_valid_after_utc - now > RENEW_BEFORE
        and wanted <= known
    )


def _load(folder: Path, name: str) -> Pair | None:
    certificate_file, key_file = folder / f"{name}.crt", folder / f"{name}.key"
    if not certificate_file.exists() or not key_file.exists():
        return None
    key = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        return None
    return Pair(x509.load_pem_x509_certificate(certificate_file.read_bytes()), key)


def _store(folder: Path, name: str, pair: Pair) -> None:
    _write(folder / f"{name}.key", pair.key_pem())
    _write(folder / f"{name}.crt", pair.certificate_pem())


def _token(file: Path) -> str:
    if not file.exists():
        _write(file, secrets.token_urlsafe(32).encode())
    return file.read_text()


def _signing_key(file: Path) -> SigningKey:
    """Made anew where the file has none: pods ask for new tokens when they meet a new engine."""
    known = SigningKey.of_pem(file.read_bytes()) if file.exists() else None
    if known is None:
        known = SigningKey.new()
        _write(file, known.pem())
    return known


def _write(file: Path, data: bytes) -> None:
    """Replace in one step, private from the first byte: a crash leaves the old file or the new one."""
    temporary = file.with_name(f"{file.name}.new")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as stream:
        stream.write(data)
    temporary.replace(file)
