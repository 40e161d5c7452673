"""From a :class:`ClientConfig` to a TLS context and an ``Authorization`` header.

Credentials may change while a client lives: an exec plug-in's token expires, a token file is renewed by its owner. So
``authorization`` is asked for every request, and ``forget`` is called after a 401, whereupon the plug-in runs again.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.client.errors import CredentialError
from sidings.client.kubeconfig import ClientConfig, ExecPlugin
from sidings.clock import Clock

EXEC_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
EXPIRY_MARGIN = timedelta(seconds=10)


@dataclass(frozen=True)
class ExecCredential:
    """What a plug-in gave; ``expires`` None: until the process ends."""

    token: str = ""
    client_certificate: bytes = b""
    client_key: bytes = b""
    expires: datetime | None = None


class Credentials:
    """The credentials of one context, renewed when they must be."""

    def __init__(self, config: ClientConfig, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._from_plugin: ExecCredential | None = None
        self._tls: tuple[tuple[bytes, bytes], ssl.SSLContext] | None = None
        """Of the certificate and key that connections show; made once, which takes longer than a handshake."""
        self._running = asyncio.Lock()

    async def authorization(self) -> str:
        """The value of the ``Authorization`` header, ``""`` for none."""
        config = self._config
        if not config.server.startswith("https:"):
            return ""  # as kubectl: a credential never leaves over a line that anybody can read
        if config.token_file is not None:
            return f"Bearer {_read_token(config)}"
        if config.token:
            return f"Bearer {config.token}"
        if config.username:
            pair = f"{config.username}:{config.password}".encode()
            return f"Basic {base64.b64encode(pair).decode()}"
        credential = await self._plugin_credential()
        return f"Bearer {credential.token}" if credential and credential.token else ""

    async def tls(self) -> ssl.SSLContext | None:
        """The context for a new connection, None for plain HTTP."""
        config = self._config
        if not config.server.startswith("https:"):
            return None
        certificate, key = config.client_certificate, config.client_key
        credential = await self._plugin_credential()
        if credential and credential.client_certificate:
            certificate, key = credential.client_certificate, credential.client_key
        if self._tls is None or self._tls[0] != (certificate, key):
            self._tls = (certificate, key), tls_context(config, certificate, key)
        return self._tls[1]

    def forget(self) -> bool:
        """Drop a credential that the server refused; True where asking again may give another one."""
        had_one, self._from_plugin = self._from_plugin is not None, None
        return had_one

    async def _plugin_credential(self) -> ExecCredential | None:
        plugin = self._config.exec_plugin
        if plugin is None:
            return None
        async with self._running:
            known = self._from_plugin
            if known is None or (known.expires and known.expires - EXPIRY_MARGIN <= self._clock.now()):
                known = self._from_plugin = await run_plugin(plugin)
            return known


def tls_context(config: ClientConfig, certificate: bytes, key: bytes) -> ssl.SSLContext:
    """Trust exactly the kubeconfig's authority where it has one, else the system's."""
    try:
        context = ssl.create_default_context(cadata=config.certificate_authority.decode() or None)
    except (ssl.SSLError, ValueError) as error:
        raise CredentialError("the certificate authority of the kubeconfig cannot be used", cause=str(error)) from error
    if config.insecure_skip_tls_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate:
        _load_client_certificate(context, certificate, key)
    return context


def _load_client_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    # The ssl module takes files only. An anonymous in-memory file leaves no key on any disk.
    descriptor = os.memfd_create("client-certificate", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, certificate + b"\n" + key)
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    except ssl.SSLError as error:
        raise CredentialError("the client certificate of the kubeconfig cannot be used", cause=str(error)) from error
    finally:
        os.close(descriptor)


def _read_token(config: ClientConfig) -> str:
    assert config.token_file is not None
    try:
        return config.token_file.read_text().strip()
    except OSError as error:
        raise CredentialError(f"cannot read the token file {config.token_file}", cause=str(error.strerror)) from error


async def run_plugin(plugin: ExecPlugin) -> ExecCredential:
    """Run an exec plug-in (client.authentication.k8s.io/v1 or v1beta1) and read the credential it prints.

    It gets no terminal: a plug-in that must ask says so itself and fails, and its words reach the user.
    """
    if plugin.api_version not in EXEC_VERSIONS:
        raise CredentialError(
            f"the credential plug-in {plugin.command} speaks {plugin.api_version or 'no declared version'}",
            cause=f"supported: {', '.join(EXEC_VERSIONS)}",
        )
    info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": {"interactive": False}}
    environ = {**os.environ, **plugin.env, "KUBERNETES_EXEC_INFO": json.dumps(info)}
    try:
        process = await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.args,
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise CredentialError(
            f"the credential plug-in {plugin.command} cannot be run",
            cause=error.strerror or str(error),
            remedy=plugin.install_hint,
        ) from error
    stdout, stderr = await process.communicate()
    if process.returncode:
        raise CredentialError(
            f"the credential plug-in {plugin.command} failed with exit code {process.returncode}",
            cause=stderr.decode(errors="replace").strip(),
            remedy=plugin.install_hint,
        )
    try:
        return _parse_credential(json.loads(stdout), plugin.api_version)
    except (ValueError, AttributeError) as error:
        raise CredentialError(
            f"the credential plug-in {plugin.command} did not print an ExecCredential", cause=str(error)
        ) from error


def _parse_credential(data: Any, api_version: str) -> ExecCredential:
    if data.get("kind") != "ExecCredential" or data.get("apiVersion") != api_version:
        raise ValueError(f"kind {data.get('kind')}, apiVersion {data.get('apiVersion')}; asked for {api_version}")
    status = data.get("status") or {}
    expires = status.get("expirationTimestamp")
    credential = ExecCredential(
        token=str(status.get("token") or ""),
        client_certificate=str(status.get("clientCertificateData") or "").encode(),
        client_key=str(status.get("clientKeyData") or "").encode(),
        expires=datetime.fromisoformat(expires).astimezone(UTC) if expires else None,
    )
    if not credential.token and not credential.client_certificate:
        raise ValueError("status has neither token nor clientCertificateData")
    return credential
