"""The key pair of an MPI job, ECDSA on P-521 as Trainer makes it."""

from __future__ import annotations

import base64


def key_pair() -> tuple[str, str]:
    """A new private key (PEM, ``EC PRIVATE KEY``) and its public key (OpenSSH), both as base64 for a Secret's data.

    The only randomness in here that is not handed in: keys must come from the system's source.
    """
    # 60 ms of import that only MPI jobs pay.
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP521R1())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return base64.b64encode(private).decode(), base64.b64encode(public + b"\n").decode()
