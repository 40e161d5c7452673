"""The XML that S3 answers with. Pure; elements in the order of the API reference, which some clients rely on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from sidings.s3.errors import S3Error

_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
_NO_XML = {chr(code): f"&#{code};" for code in (*range(9), 11, 12, *range(14, 32))}


def error(problem: S3Error, resource: str) -> bytes:
    fields = {"Code": problem.code, "Message": problem.message, "Resource": resource, "RequestId": "0"}
    return _document("Error", fields, namespace="")


def buckets(created: Mapping[str, float]) -> bytes:
    found = [{"Name": name, "CreationDate": moment(seconds)} for name, seconds in created.items()]
    owner = {"ID": "sidings", "DisplayName": "sidings"}
    return _document("ListAllMyBucketsResult", {"Owner": owner, "Buckets": {"Bucket": found}})


def listing(asked: Mapping[str, object], contents: Sequence[Mapping[str, object]], prefixes: Sequence[str]) -> bytes:
    """``asked``: the page's own fields; ``contents``: the objects' fields."""
    fields = {**asked, "Contents": contents, "CommonPrefixes": [{"Prefix": prefix} for prefix in prefixes]}
    return _document("ListBucketResult", fields)


def location() -> bytes:
    return _document("LocationConstraint", {})


def versioning() -> bytes:
    return _document("VersioningConfiguration", {})


def begun(bucket: str, key: str, upload: str) -> bytes:
    return _document("InitiateMultipartUploadResult", {"Bucket": bucket, "Key": key, "UploadId": upload})


def parts(bucket: str, key: str, upload: str, found: Sequence[Mapping[str, object]]) -> bytes:
    fields = {"Bucket": bucket, "Key": key, "UploadId": upload, "IsTruncated": "false", "Part": found}
    return _document("ListPartsResult", fields)


def completed(bucket: str, key: str, etag: str) -> bytes:
    fields = {"Location": f"/{bucket}/{key}", "Bucket": bucket, "Key": key, "ETag": etag}
    return _document("CompleteMultipartUploadResult", fields)


def copied(etag: str, changed: float) -> bytes:
    return _document("CopyObjectResult", {"ETag": etag, "LastModified": moment(changed)})


def deleted(keys: Iterable[str], failed: Iterable[tuple[str, S3Error]], quiet: bool) -> bytes:
    problems = [{"Key": key, "Code": each.code, "Message": each.message} for key, each in failed]
    return _document("DeleteResult", {"Deleted": [] if quiet else [{"Key": key} for key in keys], "Error": problems})


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def url_encoded(text: str) -> str:
    """A name under ``encoding-type=url``."""
    return quote(text, safe="/-_.~")


def _document(name: str, fields: Mapping[str, Any], namespace: str = _NAMESPACE) -> bytes:
    attribute = f' xmlns="{namespace}"' if namespace else ""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{name}{attribute}>{_inside(fields)}</{name}>'.encode()


def _inside(fields: Mapping[str, Any]) -> str:
    made = []
    for name, value in fields.items():
        values = value if isinstance(value, list | tuple) else [value]
        for each in values:
            text = _inside(each) if isinstance(each, Mapping) else escape(str(each), _NO_XML)
            made.append(f"<{name}>{text}</{name}>")
    return "".join(made)
