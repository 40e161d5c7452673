import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sidings.server.signing_key import SigningKey


def test_a_key_knows_what_it_signed_and_nothing_else() -> None:
    key, other = SigningKey.new(), SigningKey.new()
    signature = key.sign(b"content")
    assert key.has_signed(b"content", signature)
    assert not key.has_signed(b"contenT", signature)
    assert not key.has_signed(b"content", b"")
    assert not other.has_signed(b"content", signature)


def test_a_key_survives_on_disk() -> None:
    key = SigningKey.new()
    again = SigningKey.of_pem(key.pem())
    assert again is not None
    assert again.jwk() == key.jwk()
    assert again.has_signed(b"content", key.sign(b"content"))


def test_what_is_no_rsa_key() -> None:
    elliptic = ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    assert SigningKey.of_pem(elliptic) is None
    assert SigningKey.of_pem(b"k3y-of-an-earlier-engine") is None


def test_the_public_half_alone_is_told() -> None:
    told = SigningKey.new().jwk()
    assert sorted(told) == ["alg", "e", "kid", "kty", "n", "use"]
    assert (told["alg"], told["kty"], told["e"]) == ("RS256", "RSA", "AQAB")
    assert len(base64.urlsafe_b64decode(told["n"] + "==")) == 256
