"""One run of an initializer: read the environment, choose the provider by the scheme, fetch, say how it went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from sidings.initializers import files, hugging_face, s3
from sidings.initializers.errors import InitializerError
from sidings.initializers.wanted import ALL, MODEL_FILES, MODEL_IGNORED, Wanted

WORKSPACE = Path("/workspace")
KINDS = ("dataset", "model")
Say = Callable[[str], None]
Provider = Callable[[str, Mapping[str, str], Path, Wanted, Say], int]


def run(arguments: Sequence[str], environ: Mapping[str, str], say: Say, workspace: Path = WORKSPACE) -> int:
    """The program; ``say`` prints a line. Returns its exit code."""
    try:
        if len(arguments) != 1 or arguments[0] not in KINDS:
            raise InitializerError(f"usage: python -m sidings.initializers {'|'.join(KINDS)}")
        initialize(arguments[0], environ, say, workspace)
    except InitializerError as error:
        for line in error.lines():
            say(line)
        return 1
    return 0


def initialize(kind: str, environ: Mapping[str, str], say: Say, workspace: Path) -> None:
    """Fetch the dataset or model. Raises :class:`InitializerError`."""
    uri = environ.get("STORAGE_URI") or ""
    if not uri:
        raise InitializerError(
            "STORAGE_URI environment variable must be set",
            remedy=f"spec.initializer.{kind}.storageUri of the TrainJob, such as file:///data/{kind}",
        )
    scheme = urlsplit(uri).scheme
    providers = _providers(kind)
    if scheme not in providers:
        raise InitializerError(
            f"Unsupported {kind} storage URI scheme {scheme}",
            cause=uri,
            remedy=f"one of {', '.join(sorted(providers))}",
        )
    target = workspace / kind
    try:
        target.mkdir(parents=True, exist_ok=True)
        say(f"fetching {kind} {uri} into {target}")
        count = providers[scheme](uri, environ, target, wanted(kind, scheme, environ), say)
    except OSError as error:
        raise InitializerError(f"cannot fetch {uri} into {target}", cause=str(error)) from error
    say(f"{kind} is complete: {count} file{'s' * (count != 1)} in {target}")


def _providers(kind: str) -> Mapping[str, Provider]:
    def hub(uri: str, environ: Mapping[str, str], target: Path, files_wanted: Wanted, say: Say) -> int:
        return hugging_face.fetch(uri, kind, environ, target, files_wanted, say)

    return {"hf": hub, "s3": s3.fetch, "file": files.fetch}


def wanted(kind: str, scheme: str, environ: Mapping[str, str]) -> Wanted:
    """Which files are fetched: of a model on the hub those that frameworks load, of anything else all."""
    given = [pattern.strip() for pattern in (environ.get("IGNORE_PATTERNS") or "").split(",") if pattern.strip()]
    if kind == "model" and scheme == "hf":
        return Wanted(MODEL_FILES, tuple(given) or MODEL_IGNORED)
    return Wanted(ALL, tuple(given))
