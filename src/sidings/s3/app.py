"""The S3 API over ``Buckets``: which request is which operation, and what answers it (API reference of 2006-03-01).

The event loop never waits for the disk at length: syncs, copies and joins run in threads, while what decides who was
first (a rename under a condition) is one step of the loop.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import datetime
from email.utils import formatdate
from pathlib import Path
from urllib.parse import unquote

from sidings.s3 import answers, listing, signature
from sidings.s3.buckets import Buckets, Found, sync
from sidings.s3.errors import S3Error
from sidings.s3.exchange import Exchange, Receive, Scope, Send
from sidings.s3.payload import Payload
from sidings.s3.signature import Keys
from sidings.s3.uploads import Uploads, part_etag

log = logging.getLogger(__name__)

_CHUNK = 1 << 20
_MOST_UNHEARD = 64 << 20  # bytes of a body that is refused: parts of uploads are 5 to 16 MB with most clients
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_NOT_SERVED = {
    "accelerate", "acl", "analytics", "attributes", "cors", "encryption", "inventory", "legal-hold", "lifecycle",
    "logging", "metrics", "notification", "object-lock", "ownershipControls", "policy", "policyStatus",
    "publicAccessBlock", "replication", "requestPayment", "restore", "retention", "select", "tagging", "torrent",
    "versions", "website",
}  # fmt: skip
"""Subresources of S3 that a folder has not."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


class App:
    """An ASGI app; ``now`` is an aware time."""

    def __init__(self, buckets: Buckets, keys: Keys, now: Callable[[], datetime]) -> None:
        self._buckets, self._uploads, self._keys, self._now = buckets, Uploads(buckets), keys, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            signature.verify(exchange.request, self._keys, self._now())
            await self._serve(exchange)
        except S3Error as problem:
            await self._refuse(exchange, problem)
        except OSError as problem:
            full = problem.errno in _FULL
            code = "InsufficientStorage" if full else "InvalidArgument"
            log.warning("%s %s: %s", exchange.method, exchange.request.path, problem)
            await self._refuse(exchange, S3Error(code, problem.strerror or str(problem)))

    async def _refuse(self, exchange: Exchange, problem: S3Error) -> None:
        # A client that still sends would hear of a closed connection, and not why: the body is taken first.
        headers = {} if await exchange.drained(_MOST_UNHEARD) else {"connection": "close"}
        await exchange.answer(problem.status, answers.error(problem, exchange.request.path), headers)

    async def _serve(self, exchange: Exchange) -> None:
        if unserved := _NOT_SERVED & exchange.query.keys():
            raise S3Error("NotImplemented", f"This server does not know ?{min(unserved)}.")
        level = "object" if exchange.key else "bucket" if exchange.bucket else "service"
        operation = {
            ("service", "GET"): self._list_buckets,
            ("bucket", "GET"): self._get_bucket,
            ("bucket", "HEAD"): self._head_bucket,
            ("bucket", "PUT"): self._create_bucket,
            ("bucket", "DELETE"): self._delete_bucket,
            ("bucket", "POST"): self._delete_objects,
            ("object", "GET"): self._get_object,
            ("object", "HEAD"): self._get_object,
            ("object", "PUT"): self._put,
            ("object", "POST"): self._post,
            ("object", "DELETE"): self._delete,
        }.get((level, exchange.method))
        if operation is None:
            raise S3Error("NotImplemented", f"This server does not know {exchange.method} of a {level}.")
        await operation(exchange)

    # Buckets

    async def _list_buckets(self, exchange: Exchange) -> None:
        created = {name: self._buckets.folder(name).stat().st_ctime for name in self._buckets.names()}
        await exchange.answer(200, answers.buckets(created))

    async def _head_bucket(self, exchange: Exchange) -> None:
        self._buckets.folder(exchange.bucket)
        await exchange.answer(200)

    async def _create_bucket(self, exchange: Exchange) -> None:
        self._buckets.create(exchange.bucket)
        await exchange.answer(200, headers={"location": f"/{exchange.bucket}"})

    async def _delete_bucket(self, exchange: Exchange) -> None:
        self._buckets.remove(exchange.bucket)
        await exchange.answer(204)

    async def _get_bucket(self, exchange: Exchange) -> None:
        self._buckets.folder(exchange.bucket)
        if "location" in exchange.query:
            await exchange.answer(200, answers.location())
        elif "versioning" in exchange.query:
            await exchange.answer(200, answers.versioning())
        elif "uploads" in exchange.query:
            raise S3Error("NotImplemented", "This server does not list uploads.")
        else:
            await exchange.answer(200, await asyncio.to_thread(self._listed, exchange.bucket, exchange.query))

    def _listed(self, bucket: str, query: dict[str, str]) -> bytes:
        second = query.get("list-type") == "2"
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("continuation-token") or query.get("start-after", "") if second else query.get("marker", "")
        asked = query.get("max-keys") or str(listing.MOST)
        if not asked.isdecimal():
            raise S3Error("InvalidArgument", "max-keys must be a number")
        limit = min(int(asked), listing.MOST)
        keys = self._buckets.keys(bucket, prefix, after, one_a_folder=delimiter == "/")
        found = listing.page(keys, prefix, delimiter, after, limit)
        encode = answers.url_encoded if query.get("encoding-type") == "url" else str
        fields: dict[str, object] = {"Name": bucket, "Prefix": encode(prefix), "MaxKeys": limit}
        if delimiter:
            fields["Delimiter"] = encode(delimiter)
        if query.get("encoding-type") == "url":
            fields["EncodingType"] = "url"
        fields["IsTruncated"] = "true" if found.last else "false"
        if second:
            fields["KeyCount"] = len(found.keys) + len(found.prefixes)
        if found.last:
            fields["NextContinuationToken" if second else "NextMarker"] = found.last if second else encode(found.last)
        contents = []
        for key in found.keys:
            try:
                object_ = self._buckets.find(bucket, key)
            except S3Error:
                continue  # deleted in between
            moment = answers.moment(object_.changed)
            size = {"Size": object_.size, "StorageClass": "STANDARD"}
            contents.append({"Key": encode(key), "LastModified": moment, "ETag": object_.etag, **size})
        return answers.listing(fields, contents, [encode(each) for each in found.prefixes])

    async def _delete_objects(self, exchange: Exchange) -> None:
        if "delete" not in exchange.query:
            raise S3Error("NotImplemented", "This server does not know this POST to a bucket.")
        document = _parsed(await exchange.document())
        done, failed = [], []
        for key in (each.findtext("{*}Key") or "" for each in document.iterfind("{*}Object")):
            try:
                self._buckets.delete(exchange.bucket, key)
                done.append(key)
            except S3Error as problem:
                failed.append((key, problem))
        quiet = document.findtext("{*}Quiet") == "true"
        await exchange.answer(200, answers.deleted(done, failed, quiet))

    # Objects

    async def _get_object(self, exchange: Exchange) -> None:
        if "uploadId" in exchange.query:
            return await self._list_parts(exchange)
        found = self._buckets.find(exchange.bucket, exchange.key)
        if exchange.headers.get("if-none-match") == found.etag:
            return await exchange.answer(304, headers={"etag": found.etag})
        if exchange.headers.get("if-match", found.etag) not in (found.etag, "*"):
            raise S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
        with found.path.open("rb") as file:  # a later writer renames over it: this stays the object that was found
            asked = exchange.headers.get("range", "")
            first, last = _range(asked, found.size)
            partial = _RANGE.fullmatch(asked) is not None
            headers = {
                "content-length": str(last - first + 1),
                "content-type": "binary/octet-stream",
                "etag": found.etag,
                "last-modified": formatdate(found.changed, usegmt=True),
                "accept-ranges": "bytes",
            }
            if partial:
                headers["content-range"] = f"bytes {first}-{last}/{found.size}"
            await exchange.begin(206 if partial else 200, headers)
            left = 0 if exchange.method == "HEAD" else last - first + 1
            file.seek(first)
            while left > 0 and (data := await asyncio.to_thread(file.read, min(left, _CHUNK))):
                left -= len(data)
                await exchange.more(data)
        return await exchange.more(b"", last=True)

    async def _put(self, exchange: Exchange) -> None:
        bucket, key, query = exchange.bucket, exchange.key, exchange.query
        source = exchange.headers.get("x-amz-copy-source", "")
        if "uploadId" in query:
            target = self._uploads.part(query["uploadId"], bucket, key, query.get("partNumber", ""))
            file = await self._written(exchange, source)
            file.replace(target)
            etag = part_etag(target)
            body = answers.copied(etag, target.stat().st_mtime) if source else b""
            return await exchange.answer(200, body, {"etag": etag})
        if key.endswith("/"):
            async for _ in exchange.body():
                continue
            self._buckets.make_folder(bucket, key)
            return await exchange.answer(200, headers={"etag": '"folder"'})
        self._buckets.check(bucket, key)
        file = await self._written(exchange, source)
        made = self._commit(exchange, file)
        if source:
            return await exchange.answer(200, answers.copied(made.etag, made.changed))
        return await exchange.answer(200, headers={"etag": made.etag})

    async def _written(self, exchange: Exchange, source: str) -> Path:
        """A complete, synced file with the request's bytes, or those of the object ``source``."""
        file = self._buckets.incoming()
        try:
            if source:
                bucket, _, key = unquote(source).removeprefix("/").partition("/")
                found = self._buckets.find(bucket, key)
                await asyncio.to_thread(_copy, found, file, exchange.headers.get("x-amz-copy-source-range", ""))
            else:
                payload = Payload(exchange.headers)
                with file.open("xb") as target:
                    async for data in exchange.body():
                        for piece in payload.feed(data):
                            target.write(piece)
                payload.end()
            await asyncio.to_thread(sync, file)
        except BaseException:  # also where a client leaves, which cancels this: no half of a file stays
            file.unlink(missing_ok=True)
            raise
        return file

    def _commit(self, exchange: Exchange, file: Path) -> Found:
        only_new = exchange.headers.get("if-none-match") == "*"
        only_over = exchange.headers.get("if-match", "")
        try:
            return self._buckets.commit(file, exchange.bucket, exchange.key, only_new=only_new, only_over=only_over)
        finally:
            file.unlink(missing_ok=True)

    async def _delete(self, exchange: Exchange) -> None:
        if upload := exchange.query.get("uploadId"):
            self._uploads.forget(upload, exchange.bucket, exchange.key)
        else:
            self._buckets.delete(exchange.bucket, exchange.key)
        await exchange.answer(204)

    # Uploads in parts

    async def _post(self, exchange: Exchange) -> None:
        bucket, key = exchange.bucket, exchange.key
        if "uploads" in exchange.query:
            self._buckets.check(bucket, key)
            upload = self._uploads.begin(bucket, key)
            return await exchange.answer(200, answers.begun(bucket, key, upload))
        if "uploadId" not in exchange.query:
            raise S3Error("NotImplemented", "This server does not know this POST to an object.")
        upload = exchange.query["uploadId"]
        named = _parsed(await exchange.document()).iterfind("{*}Part")
        numbers = [_number(part.findtext("{*}PartNumber")) for part in named]
        whole = await asyncio.to_thread(self._uploads.join, upload, bucket, key, numbers)
        made = self._commit(exchange, whole)
        self._uploads.forget(upload, bucket, key)
        return await exchange.answer(200, answers.completed(bucket, key, made.etag))

    async def _list_parts(self, exchange: Exchange) -> None:
        upload = exchange.query["uploadId"]
        found = [
            {"PartNumber": int(path.name), "ETag": part_etag(path), "Size": path.stat().st_size}
            for path in self._uploads.parts(upload, exchange.bucket, exchange.key)
            if path.name.isdecimal()
        ]
        await exchange.answer(200, answers.parts(exchange.bucket, exchange.key, upload, found))


def _range(text: str, size: int) -> tuple[int, int]:
    """First and last byte that ``text``, a Range header, asks for; all of it where it is no range that S3 knows."""
    found = _RANGE.fullmatch(text)
    if found is None or found.group(1, 2) == ("", ""):
        return 0, size - 1
    begin, end = found.groups()
    first, last = (int(begin), int(end or size - 1)) if begin else (max(size - int(end), 0), size - 1)
    if first >= size or last < first:
        raise S3Error("InvalidRange", "The requested range is not satisfiable")
    return first, min(last, size - 1)


def _copy(found: Found, target: Path, part: str) -> None:
    first, last = _range(part, found.size)
    with found.path.open("rb") as source, target.open("xb") as made:
        source.seek(first)
        left = last - first + 1
        if left == found.size:
            shutil.copyfileobj(source, made, _CHUNK)
            return
        while left > 0 and (data := source.read(min(left, _CHUNK))):
            left -= made.write(data)


def _parsed(document: bytes) -> ET.Element:
    try:
        return ET.fromstring(document)
    except ET.ParseError as error:
        raise S3Error("MalformedXML", "The XML you provided was not well-formed") from error


def _number(text: str | None) -> int:
    if not (text or "").isdecimal():
        raise S3Error("MalformedXML", "A part has no number")
    return int(text or "")
