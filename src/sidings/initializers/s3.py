"""``s3://BUCKET/PREFIX``: the objects under a prefix, of Amazon S3 or whatever speaks its protocol.

``ENDPOINT`` is another server; ``ACCESS_KEY_ID``, ``SECRET_ACCESS_KEY`` and ``REGION`` sign the requests, which go
unsigned without keys. Roles (``ROLE_ARN``) need Amazon's STS and are refused.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

from sidings.initializers import download
from sidings.initializers.errors import InitializerError
from sidings.initializers.progress import Progress
from sidings.initializers.signature import Keys, signed_headers
from sidings.initializers.wanted import Wanted

DEFAULT_REGION = "us-east-1"
_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class Bucket:
    """One bucket; addressed by path at another endpoint than Amazon's."""

    def __init__(self, name: str, environ: Mapping[str, str]) -> None:
        region = environ.get("REGION") or DEFAULT_REGION
        self.url = f"{(environ.get('ENDPOINT') or f'https://s3.{region}.amazonaws.com').rstrip('/')}/{quote(name)}"
        key, secret = environ.get("ACCESS_KEY_ID") or "", environ.get("SECRET_ACCESS_KEY") or ""
        if environ.get("ROLE_ARN"):
            raise InitializerError(
                "ROLE_ARN is not supported", remedy="keys in ACCESS_KEY_ID and SECRET_ACCESS_KEY, from a Secret"
            )
        self._keys = Keys(key, secret, region) if key and secret else None

    def objects(self, prefix: str) -> Iterator[str]:
        """The keys under ``prefix``, page by page."""
        following = ""
        while True:
            query = {"list-type": "2", "prefix": prefix}
            if following:
                query["continuation-token"] = following
            text = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in sorted(query.items()))
            url = f"{self.url}?{text}"
            answer = download.read(url, self.headers(url))
            try:
                page = ElementTree.fromstring(answer)
            except ElementTree.ParseError as error:
                raise download.unreadable(url, answer) from error
            for found in page.iter():
                if _plain(found) == "Contents":
                    yield next(child.text or "" for child in found if _plain(child) == "Key")
            following = next((child.text or "" for child in page if _plain(child) == "NextContinuationToken"), "")
            if not following:
                return

    def object_url(self, key: str) -> str:
        return f"{self.url}/{quote(key)}"

    def headers(self, url: str) -> Mapping[str, str]:
        return signed_headers(url, self._keys, datetime.now(UTC)) if self._keys else {}


def fetch(uri: str, environ: Mapping[str, str], target: Path, wanted: Wanted, say: Callable[[str], None]) -> int:
    """Fetch the wanted objects into ``target``, named by what follows the prefix; returns how many."""
    parts = urlsplit(uri)
    if not parts.netloc:
        raise InitializerError(f"{uri} names no bucket", remedy="s3://BUCKET/PREFIX")
    bucket, prefix = Bucket(parts.netloc, environ), parts.path.lstrip("/")
    names = {key: _name(key, prefix) for key in bucket.objects(prefix) if not key.endswith("/")}
    chosen = {key: name for key, name in names.items() if name and wanted.takes(name)}
    if not chosen:
        raise InitializerError(f"{uri} holds no object to fetch", cause=f"{len(names)} objects, none of them wanted")
    progress = Progress(len(chosen), say)
    for key, name in chosen.items():
        url = bucket.object_url(key)
        progress.fetched(name, download.file(url, bucket.headers(url), download.inside(target, name)))
    return progress.files


def _name(key: str, prefix: str) -> str:
    """What ``key`` is called below ``prefix``; the object itself keeps its last name; ``""``: it only begins alike."""
    folder = prefix.rstrip("/")
    if not folder or key.startswith(f"{folder}/"):
        return key[len(folder) :].lstrip("/")
    return key.rsplit("/", 1)[-1] if key == prefix else ""


def _plain(element: ElementTree.Element) -> str:
    return element.tag.removeprefix(_NAMESPACE)
