"""What a pod must not see: it runs as the user but must not be the user. Pure.

Homes are hidden altogether (an image has none of the host's), so most credentials are simply not there; what brings a
part of a home back (the Python environment, the folder of a ``run``, a hostPath volume) brings back no credential,
because masks are laid over everything last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from sidings.node.sandbox.spec import Bind

_CREDENTIALS = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".oci", ".netrc", "_netrc", ".git-credentials", ".pypirc",
    ".npmrc", ".databrickscfg", ".password-store", ".vault-token", ".boto", ".s3cfg", ".terraform.d", ".terraformrc",
    ".config/gcloud", ".config/gh", ".config/git/credentials", ".config/containers/auth.json", ".config/rclone",
    ".config/hub", ".config/doctl", ".config/wandb", ".cargo/credentials", ".cargo/credentials.toml", ".ngc",
    ".huggingface", ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".kaggle", ".openai", ".mlflow",
    ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".bash_history", ".zsh_history",
    ".python_history",
)  # fmt: skip
"""Below a home: keys, tokens, kubeconfigs, browser profiles, histories with secrets typed in."""
_SYSTEM = (
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
    "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssl/private", "/etc/kubernetes", "/etc/rancher", "/etc/origin",
    "/var/lib/kubelet", "/var/lib/docker", "/var/lib/containers",
    "/var/lib/rancher", "/var/lib/etcd", "/var/spool",
)  # fmt: skip
_WINDOWS = ("/proc", "/sys")
"""File systems through which the kernel and the processes of others are reached. A pod has some of its own."""
_NAMED_BY = (
    "KUBECONFIG", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "AZURE_CONFIG_DIR", "NETRC", "DOCKER_CONFIG", "GNUPGHOME",
    "SSH_AUTH_SOCK", "HF_TOKEN_PATH", "REGISTRY_AUTH_FILE", "NPM_CONFIG_USERCONFIG",
)  # fmt: skip
"""Variables whose value is a path (or several, with ``:``) of something secret."""


def homes(home: Path) -> tuple[Path, ...]:
    """Directories that are empty in a pod.

    A home at the top (``/``, ``/data``: users without one in a container) holds more than a home, so of it only the
    credentials are hidden.
    """
    usual = (Path("/root"), Path("/home"))
    elsewhere = len(home.parts) > 2 and not any(home.is_relative_to(folder) for folder in usual)
    return (*usual, home) if elsewhere else usual


def secret_paths(home: Path, environment: Mapping[str, str], private: Iterable[Path]) -> tuple[Path, ...]:
    """Every path of the host that no pod may see; ``private`` are our own: state, ``$SIDINGS_HOME``."""
    named = [Path(path) for name in _NAMED_BY for path in environment.get(name, "").split(":") if path.startswith("/")]
    if hub := environment.get("HF_HOME", ""):
        named += [Path(hub) / "token", Path(hub) / "stored_tokens"]
    below = [home / name for name in _CREDENTIALS]
    return tuple(dict.fromkeys([*private, *named, *below, *map(Path, _SYSTEM)]))


def masks(secrets: Iterable[Path], binds: Iterable[Bind]) -> tuple[str, ...]:
    """Where the secrets would show up in a pod: at their own path, and inside whatever is bound from above them.

    The host's /proc and /sys show up in the latter only; in their own places a pod has different ones.
    """
    # Text, not Path: this is fifty secrets times every bind of every container that starts.
    hidden = [str(secret) for secret in secrets]
    return tuple(dict.fromkeys((*hidden, *inside(hidden, binds))))


def inside(secrets: Iterable[str], binds: Iterable[Bind]) -> list[str]:
    """Where the secrets, and the host's /proc and /sys, show up in binds of something above them."""
    hidden, found = (*secrets, *_WINDOWS), list[str]()
    for bind in binds:
        above = str(Path(bind.source, bind.sub_path)).rstrip("/") + "/"
        found += [f"{bind.target.rstrip('/')}/{path[len(above) :]}" for path in hidden if path.startswith(above)]
    return found


def strayed(source: str, real: str, secrets: Iterable[str]) -> str:
    """The secret that ``source`` leads to, really ``real``, without lying in it by name; "" if it leads to none."""
    for secret in (*secrets, *_WINDOWS):
        if _is_in(real, secret) and not _is_in(source, secret):
            return secret
    return ""


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def protecting(path: Path, secrets: Iterable[Path]) -> Path | None:
    """The secret that ``path`` is or lies in; a manifest may not mount it. The host's /proc and /sys are secrets."""
    for secret in (*secrets, *map(Path, _WINDOWS)):
        if path.is_relative_to(secret):
            return secret
    return None
