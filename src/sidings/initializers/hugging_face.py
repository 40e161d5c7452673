"""``hf://OWNER/NAME``: the files of a dataset or model of the Hugging Face hub (its HTTP API, version 1).

``HF_ENDPOINT`` is another hub, a mirror say; ``ACCESS_TOKEN`` (or ``HF_TOKEN``) opens what is not public. A part of a
repository is named by more path: ``hf://OWNER/NAME/folder``. Revision: ``main``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit

from sidings.initializers import download
from sidings.initializers.errors import InitializerError
from sidings.initializers.progress import Progress
from sidings.initializers.wanted import Wanted

HUB = "https://huggingface.co"
REVISION = "main"


def fetch(
    uri: str, kind: str, environ: Mapping[str, str], target: Path, wanted: Wanted, say: Callable[[str], None]
) -> int:
    """Fetch the wanted files of the repository into ``target``; returns how many."""
    repository, folder = repository_of(uri)
    hub = (environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    token = environ.get("ACCESS_TOKEN") or environ.get("HF_TOKEN") or ""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    listing = download.read_json(f"{hub}/api/{kind}s/{repository}/revision/{REVISION}", headers)
    paths = [str(sibling["rfilename"]) for sibling in listing.get("siblings") or ()]
    chosen = [path for path in paths if wanted.takes(path) and (not folder or path.startswith(f"{folder}/"))]
    if not chosen:
        raise InitializerError(f"{uri} holds no file to fetch", cause=f"{len(paths)} files, none of them wanted")
    place = f"{hub}/datasets/{repository}" if kind == "dataset" else f"{hub}/{repository}"
    progress = Progress(len(chosen), say)
    for path in chosen:
        size = download.file(f"{place}/resolve/{REVISION}/{quote(path)}", headers, download.inside(target, path))
        progress.fetched(path, size)
    return progress.files


def repository_of(uri: str) -> tuple[str, str]:
    """``(OWNER/NAME, folder in it or "")``."""
    parts = urlsplit(uri)
    names = [name for name in (parts.netloc, *parts.path.split("/")) if name]
    if len(names) < 2:
        raise InitializerError(f"{uri} names no repository", remedy="hf://OWNER/NAME")
    return "/".join(names[:2]), "/".join(names[2:])
