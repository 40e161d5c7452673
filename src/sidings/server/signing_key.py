"""The key that tokens of service accounts are signed with, and how others learn its public half.

RS256, as kube-apiserver's with the RSA key that kubeadm and OpenShift give it: services that trust an issuer's JWKS
(Vault, MLflow behind an OIDC proxy, object stores) take tokens of this engine as they take a cluster's. The key's id is
upstream's (``pkg/serviceaccount/jwt.go``, v1.36): the SHA-256 of the public key's DER form.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

ALGORITHM = "RS256"
_BITS = 2048
_EXPONENT = 65537


class SigningKey:
    """An RSA key pair."""

    def __init__(self, key: rsa.RSAPrivateKey) -> None:
        self._key = key
        self._public = key.public_key()
        der = self._public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.id = base64_url(hashlib.sha256(der).digest())

    @classmethod
    def new(cls) -> SigningKey:
        """Takes about 0.1 s."""
        return cls(rsa.generate_private_key(_EXPONENT, _BITS))

    @classmethod
    def of_pem(cls, pem: bytes) -> SigningKey | None:
        """None for what is no RSA key."""
        try:
            # Ours, from a private file: to prove that its factors are prime would take longer than all else it is for.
            key = serialization.load_pem_private_key(pem, password=None, unsafe_skip_rsa_key_validation=True)
        except ValueError:
            return None
        return cls(key) if isinstance(key, rsa.RSAPrivateKey) else None

    def pem(self) -> bytes:
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def sign(self, content: bytes) -> bytes:
        return self._key.sign(content, padding.PKCS1v15(), hashes.SHA256())

    def has_signed(self, content: bytes, signature: bytes) -> bool:
        try:
            self._public.verify(signature, content, padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            return False
        return True

    def jwk(self) -> dict[str, Any]:
        """The public half as a JSON Web Key."""
        numbers = self._public.public_numbers()
        return {
            "use": "sig",
            "kty": "RSA",
            "kid": self.id,
            "alg": ALGORITHM,
            "n": base64_url(numbers.n.to_bytes(_BITS // 8)),
            "e": base64_url(numbers.e.to_bytes(3)),
        }


def base64_url(data: bytes) -> str:
    """Without padding, as JSON Web Tokens have it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
