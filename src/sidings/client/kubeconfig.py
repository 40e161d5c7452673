"""Kubeconfig files: which server to talk to, whom to trust there and as whom to speak.

Loading follows kubectl: files of ``$KUBECONFIG`` are merged, the first one that says something wins, missing files of
the list are skipped, and relative paths are relative to the file that holds them. What comes out is one flat
:class:`ClientConfig`; turning it into headers and TLS is ``credentials``' part.

:func:`write` emits JSON, which every YAML reader accepts, so that our own command line reads its own file without
importing a YAML parser (30 of its 150 ms).
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidings.client.errors import KubeconfigError

DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True)
class ExecPlugin:
    """A credential plug-in (``users[].user.exec``): a command that prints an ``ExecCredential``."""

    api_version: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    install_hint: str = ""


@dataclass(frozen=True)
class ClientConfig:
    """One context, resolved. PEM data is bytes, read from files where the kubeconfig names files."""

    server: str
    context: str = ""
    namespace: str = DEFAULT_NAMESPACE
    certificate_authority: bytes = b""
    """Empty: trust what the system trusts."""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""
    token: str = ""
    token_file: Path | None = None
    """Read anew for every request, because whoever wrote it also renews it."""
    username: str = ""
    password: str = ""
    client_certificate: bytes = b""
    client_key: bytes = b""
    exec_plugin: ExecPlugin | None = None


def default_paths(environ: Mapping[str, str]) -> list[Path]:
    """The files that kubectl would read: ``$KUBECONFIG`` (a list), or ``~/.kube/config``."""
    listed = [Path(part) for part in environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    return listed or [Path(environ.get("HOME", "~")).expanduser() / ".kube" / "config"]


def load(paths: Sequence[Path], *, context: str = "", must_exist: bool = False) -> ClientConfig:
    """The configuration of ``context``, or of the files' current context.

    ``must_exist``: a missing file is an error, as for an explicit ``--kubeconfig``.
    """
    merged = _merge([(path, _parse(path)) for path in paths if must_exist or path.exists()])
    shown = os.pathsep.join(map(str, paths))
    name = context or merged.current
    if not name:
        raise KubeconfigError(
            f"no context to use in {shown}",
            cause="no file of the list exists" if not merged.contexts else "current-context is not set",
            remedy="sidings up" if not merged.contexts else f"--context {next(iter(merged.contexts))}",
        )
    chosen = _named(merged.contexts, "context", name, shown)
    cluster = _named(merged.clusters, "cluster", str(chosen.body.get("cluster") or ""), shown)
    user_name = str(chosen.body.get("user") or "")
    user = _named(merged.users, "user", user_name, shown) if user_name else _Entry(chosen.folder, {})
    return _resolve(name, chosen, cluster, user)


def write(
    path: Path, *, server: str, certificate_authority: bytes, token: str, name: str = "sidings", namespace: str = ""
) -> None:
    """Write a kubeconfig with one cluster, user and context, all called ``name``; mode 0600, replaced in one step."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": name,
                "cluster": {
                    "server": server,
                    "certificate-authority-data": base64.b64encode(certificate_authority).decode(),
                },
            }
        ],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": name, "namespace": namespace or DEFAULT_NAMESPACE}}
        ],
        "current-context": name,
    }
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@dataclass(frozen=True)
class _Entry:
    """A named cluster, user or context, and the folder that its relative paths start from."""

    folder: Path
    body: Mapping[str, Any]


@dataclass
class _Merged:
    clusters: dict[str, _Entry] = field(default_factory=dict)
    users: dict[str, _Entry] = field(default_factory=dict)
    contexts: dict[str, _Entry] = field(default_factory=dict)
    current: str = ""


def _parse(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text()
    except OSError as error:
        raise KubeconfigError(f"cannot read {path}", cause=error.strerror or str(error), remedy="sidings up") from error
    try:
        data = json.loads(text)
    except ValueError:
        data = _parse_yaml(path, text)
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise KubeconfigError(f"{path} is no kubeconfig", cause=f"it holds a {type(data).__name__}, not a mapping")
    return data


def _parse_yaml(path: Path, text: str) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise KubeconfigError(f"{path} is no kubeconfig", cause=" ".join(str(error).split())) from error


def _merge(files: Sequence[tuple[Path, Mapping[str, Any]]]) -> _Merged:
    merged = _Merged()
    for path, data in files:
        merged.current = merged.current or str(data.get("current-context") or "")
        for plural, singular, into in (
            ("clusters", "cluster", merged.clusters),
            ("users", "user", merged.users),
            ("contexts", "context", merged.contexts),
        ):
            for item in data.get(plural) or ():
                into.setdefault(str(item.get("name") or ""), _Entry(path.parent, item.get(singular) or {}))
    return merged


def _named(entries: Mapping[str, _Entry], what: str, name: str, shown: str) -> _Entry:
    if name in entries:
        return entries[name]
    known = ", ".join(sorted(entries)) or "none"
    raise KubeconfigError(f'{what} "{name}" is not in {shown}', cause=f"{what}s there: {known}")


def _resolve(name: str, context: _Entry, cluster: _Entry, user: _Entry) -> ClientConfig:
    server = str(cluster.body.get("server") or "")
    if not server.startswith(("https://", "http://")):
        raise KubeconfigError(
            f'the cluster of context "{name}" has no usable server',
            cause=f'clusters[].cluster.server is "{server}", not https://HOST:PORT',
        )
    if cluster.body.get("proxy-url"):
        raise KubeconfigError(
            f'the cluster of context "{name}" is behind a proxy', cause="proxy-url is not supported by this client"
        )
    token_file = user.body.get("tokenFile")
    return ClientConfig(
        server=server.rstrip("/"),
        context=name,
        namespace=str(context.body.get("namespace") or DEFAULT_NAMESPACE),
        certificate_authority=_pem(cluster, "certificate-authority"),
        insecure_skip_tls_verify=bool(cluster.body.get("insecure-skip-tls-verify")),
        tls_server_name=str(cluster.body.get("tls-server-name") or ""),
        token=str(user.body.get("token") or ""),
        token_file=user.folder / token_file if token_file else None,
        username=str(user.body.get("username") or ""),
        password=str(user.body.get("password") or ""),
        client_certificate=_pem(user, "client-certificate"),
        client_key=_pem(user, "client-key"),
        exec_plugin=_exec_plugin(user),
    )


def _pem(entry: _Entry, key: str) -> bytes:
    """``<key>-data`` (base64) wins over ``<key>`` (a file), as in client-go."""
    data, file = entry.body.get(f"{key}-data"), entry.body.get(key)
    if data:
        try:
            return base64.b64decode(str(data), validate=True)
        except binascii.Error as error:
            raise KubeconfigError(f"{key}-data of the kubeconfig cannot be read", cause=str(error)) from error
    if not file:
        return b""
    path = entry.folder / str(file)
    try:
        return path.read_bytes()
    except OSError as error:
        raise KubeconfigError(f"cannot read the {key} {path}", cause=error.strerror or str(error)) from error


def _exec_plugin(user: _Entry) -> ExecPlugin | None:
    body = user.body.get("exec")
    if not body:
        return None
    command = str(body.get("command") or "")
    # As client-go: a command with a separator is a path relative to the kubeconfig, any other is looked up in $PATH.
    if os.sep in command:
        command = str(user.folder / command)
    return ExecPlugin(
        api_version=str(body.get("apiVersion") or ""),
        command=command,
        args=tuple(map(str, body.get("args") or ())),
        env={str(item["name"]): str(item["value"]) for item in body.get("env") or ()},
        install_hint=str(body.get("installHint") or ""),
    )
