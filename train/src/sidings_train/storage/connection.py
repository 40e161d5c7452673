"""Where the S3 server is and who asks, from the environment: AWS's names, or those of an OpenShift AI data connection.

What is asked at an address that is none, or without any credentials, is refused here: obstore would panic at the
first, which no other rank hears of, and ask a cloud's metadata server for the second, whose answer explains nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from sidings_train.errors import StorageError

ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_S3_ENDPOINT")
KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
_KEYLESS = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


@dataclass(frozen=True)
class Connection:
    """``endpoint`` is None for Amazon's own; ``config`` is obstore's, with the secret."""

    endpoint: str | None
    config: Mapping[str, str]

    @property
    def place(self) -> str:
        """For messages."""
        return self.endpoint or "Amazon"

    @property
    def plain(self) -> bool:
        """Whether it goes without TLS."""
        return self.endpoint is not None and urlsplit(self.endpoint).scheme == "http"


def from_environment(env: Mapping[str, str]) -> Connection:
    """What ``env`` says. StorageError when its address is none, or when it leaves out who asks."""
    endpoint = _endpoint(env)
    missing = [name for name in KEYS if not env.get(name)]
    # A machine of Amazon's may know who it is without keys; with another server, or half of a pair, nobody does.
    if missing and (endpoint or len(missing) == 1) and not any(env.get(name) for name in _KEYLESS):
        raise StorageError(
            f"no credentials for the S3 server {endpoint or 'Amazon'}",
            cause=f"not set: {', '.join(missing)}",
            remedy="give the pod the Secret of the data connection: envFrom: [{secretRef: {name: NAME}}]",
        )
    known = {
        "endpoint": endpoint,
        "region": env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or "us-east-1",
        "access_key_id": env.get("AWS_ACCESS_KEY_ID"),
        "secret_access_key": env.get("AWS_SECRET_ACCESS_KEY"),
        "session_token": env.get("AWS_SESSION_TOKEN"),
    }
    return Connection(endpoint, {name: value for name, value in known.items() if value})


def _endpoint(env: Mapping[str, str]) -> str | None:
    name = next((name for name in ENDPOINTS if env.get(name)), None)
    if name is None:
        return None
    parts = urlsplit(env[name])
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise StorageError(
            f"{name}={env[name]} is no address of an S3 server", remedy=f"{name}=http://HOST:PORT, or https://HOST"
        )
    return env[name]
