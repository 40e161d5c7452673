"""The S3 API over a folder: what clients ask for, and what must not happen."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sidings.s3.app import App
from sidings.s3.buckets import INCOMING, Buckets
from tests.s3.requests import KEYS, NOW, Answer, ask, raw, signed


@pytest.fixture
def app(tmp_path: Path) -> App:
    (tmp_path / "data").mkdir()
    return App(Buckets(tmp_path), KEYS, lambda: NOW)


def code(answer: Answer) -> str:
    return ET.fromstring(answer.body).findtext("Code") or ""


def texts(answer: Answer, path: str) -> list[str]:
    return [each.text or "" for each in ET.fromstring(answer.body).iterfind(path)]


async def test_an_object_is_a_file(app: App, tmp_path: Path) -> None:
    written = await ask(app, "PUT", "/data/a/b.txt", b"hello")
    assert (tmp_path / "data" / "a" / "b.txt").read_bytes() == b"hello"
    read = await ask(app, "GET", "/data/a/b.txt")
    assert (read.status, read.body, read.headers["etag"]) == (200, b"hello", written.headers["etag"])
    head = await ask(app, "HEAD", "/data/a/b.txt")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "5")
    assert (await ask(app, "DELETE", "/data/a/b.txt")).status == 204
    assert list((tmp_path / "data").iterdir()) == []


async def test_a_file_that_somebody_put_there_is_an_object(app: App, tmp_path: Path) -> None:
    (tmp_path / "data" / "train.csv").write_text("1,2")
    assert (await ask(app, "GET", "/data/train.csv")).body == b"1,2"
    assert texts(await ask(app, "GET", "/data?list-type=2"), "{*}Contents/{*}Key") == ["train.csv"]


async def test_who_still_sends_hears_why_it_is_refused(app: App) -> None:
    refused = await ask(app, "PUT", "/gone/x", b"a body of more than one piece")
    assert (code(refused), "connection" in refused.headers) == ("NoSuchBucket", False)


@pytest.mark.parametrize(
    ("asked", "status", "body", "said"),
    [
        ("bytes=0-0", 206, b"0", "bytes 0-0/10"),
        ("bytes=3-5", 206, b"345", "bytes 3-5/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=7-99", 206, b"789", "bytes 7-9/10"),
        ("bytes=-4", 206, b"6789", "bytes 6-9/10"),
        ("bytes=0-9", 206, b"0123456789", "bytes 0-9/10"),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
async def test_ranges(app: App, asked: str, status: int, body: bytes, said: str | None) -> None:
    await ask(app, "PUT", "/data/digits", b"0123456789")
    found = await ask(app, "GET", "/data/digits", range=asked)
    assert (found.status, found.body, found.headers.get("content-range")) == (status, body, said)


async def test_a_range_behind_the_end_is_refused(app: App) -> None:
    await ask(app, "PUT", "/data/digits", b"0123456789")
    assert (await ask(app, "GET", "/data/digits", range="bytes=10-")).status == 416


@pytest.mark.parametrize("key", ["../secret", "a/../../secret", "a//b", "./a", "x" * 256, "%2e%2e/secret", "a%00b"])
async def test_no_key_leads_out_of_its_bucket(app: App, tmp_path: Path, key: str) -> None:
    for method in ("PUT", "GET", "DELETE"):
        assert code(await ask(app, method, f"/data/{key}", b"x" if method == "PUT" else b"")) == "InvalidArgument"
    assert not (tmp_path / "secret").exists()
    assert code(await ask(app, "GET", f"/{INCOMING}/x")) == "NoSuchBucket"
    assert code(await ask(app, "PUT", "/..")) == "InvalidBucketName"


async def test_what_is_not_signed_with_our_keys_is_refused(app: App, tmp_path: Path) -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert code(await raw(app, "GET", "/", "", {})) == "AccessDenied"
    right = signed("PUT", "/data/a", "", {}, empty)
    assert code(await raw(app, "PUT", "/data/b", "", right)) == "SignatureDoesNotMatch"
    other = {**right, "authorization": right["authorization"].replace("=key/", "=other/")}
    assert code(await raw(app, "PUT", "/data/a", "", other)) == "InvalidAccessKeyId"
    assert code(await raw(app, "PUT", "/data/a", "", right, b"changed")) == "XAmzContentSHA256Mismatch"
    assert [*(tmp_path / "data").iterdir(), *(tmp_path / INCOMING).iterdir()] == []


async def test_a_body_that_ends_early_makes_no_object(app: App, tmp_path: Path) -> None:
    cut = await ask(app, "PUT", "/data/a", b"hel", payload="UNSIGNED-PAYLOAD", content_length="5")
    assert code(cut) == "IncompleteBody"
    assert [*(tmp_path / "data").iterdir(), *(tmp_path / INCOMING).iterdir()] == []


async def test_a_chunked_body_is_taken_apart(app: App, tmp_path: Path) -> None:
    body = b"5;chunk-signature=ab\r\nhello\r\n7\r\n, world\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n"
    how = {"payload": "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "x_amz_decoded_content_length": "12"}
    assert (await ask(app, "PUT", "/data/a", body, **how)).status == 200
    assert (tmp_path / "data" / "a").read_bytes() == b"hello, world"
    assert code(await ask(app, "PUT", "/data/b", body[:-50], **how)) == "IncompleteBody"
    assert code(await ask(app, "PUT", "/data/b", b"no size\r\nhello", **how)) == "InvalidArgument"


async def test_only_one_writer_makes_a_new_object(app: App) -> None:
    first = await ask(app, "PUT", "/data/latest", b"1", if_none_match="*")
    assert code(await ask(app, "PUT", "/data/latest", b"2", if_none_match="*")) == "PreconditionFailed"
    second = await ask(app, "PUT", "/data/latest", b"33", if_match=first.headers["etag"])
    assert second.status == 200
    assert code(await ask(app, "PUT", "/data/latest", b"4", if_match=first.headers["etag"])) == "PreconditionFailed"
    assert (await ask(app, "GET", "/data/latest")).body == b"33"


async def test_an_object_beside_others_below_its_name_is_refused(app: App) -> None:
    await ask(app, "PUT", "/data/a/b", b"1")
    assert code(await ask(app, "PUT", "/data/a", b"2")) == "ObjectIsPrefix"
    assert code(await ask(app, "PUT", "/data/a/b/c", b"3")) == "ObjectIsPrefix"
    assert code(await ask(app, "GET", "/data/a")) == "NoSuchKey"


async def test_an_upload_in_parts(app: App, tmp_path: Path) -> None:
    [upload] = texts(await ask(app, "POST", "/data/big?uploads"), "{*}UploadId")
    for number, data in ((2, b"world"), (1, b"hello, "), (3, b"left out")):
        await ask(app, "PUT", f"/data/big?partNumber={number}&uploadId={upload}", data)
    listed = await ask(app, "GET", f"/data/big?uploadId={upload}")
    assert texts(listed, "{*}Part/{*}Size") == ["7", "5", "8"]
    assert texts(await ask(app, "GET", "/data?list-type=2"), "{*}Contents/{*}Key") == []
    parts = "".join(f"<Part><PartNumber>{number}</PartNumber></Part>" for number in (1, 2))
    done = await ask(app, "POST", f"/data/big?uploadId={upload}", f"<C>{parts}</C>".encode())
    assert done.status == 200
    assert (tmp_path / "data" / "big").read_bytes() == b"hello, world"
    assert list((tmp_path / INCOMING).iterdir()) == []
    assert code(await ask(app, "GET", f"/data/big?uploadId={upload}")) == "NoSuchUpload"


async def test_an_upload_that_is_given_up_or_lacks_a_part(app: App, tmp_path: Path) -> None:
    [upload] = texts(await ask(app, "POST", "/data/big?uploads"), "{*}UploadId")
    missing = b"<C><Part><PartNumber>1</PartNumber></Part></C>"
    assert code(await ask(app, "POST", f"/data/big?uploadId={upload}", missing)) == "InvalidPart"
    assert code(await ask(app, "POST", f"/data/big?uploadId={upload}", b"<C>")) == "MalformedXML"
    assert code(await ask(app, "PUT", f"/data/big?partNumber=0&uploadId={upload}", b"x")) == "InvalidArgument"
    assert code(await ask(app, "PUT", f"/data/other?partNumber=1&uploadId={upload}", b"x")) == "NoSuchUpload"
    assert (await ask(app, "DELETE", f"/data/big?uploadId={upload}")).status == 204
    assert list((tmp_path / INCOMING).iterdir()) == []


async def test_names_that_xml_and_urls_know_otherwise(app: App) -> None:
    await ask(app, "PUT", "/data/a%20b%26%3C%C3%BC.txt", b"1")
    assert texts(await ask(app, "GET", "/data?list-type=2"), "{*}Contents/{*}Key") == ["a b&<ü.txt"]
    encoded = await ask(app, "GET", "/data?list-type=2&encoding-type=url")
    assert texts(encoded, "{*}Contents/{*}Key") == ["a%20b%26%3C%C3%BC.txt"]


async def test_copies_and_deletions_of_many(app: App) -> None:
    await ask(app, "PUT", "/data/a", b"1")
    assert (await ask(app, "PUT", "/data/b/c", x_amz_copy_source="/data/a")).status == 200
    assert (await ask(app, "GET", "/data/b/c")).body == b"1"
    named = b"<Delete><Object><Key>a</Key></Object><Object><Key>none</Key></Object></Delete>"
    assert texts(await ask(app, "POST", "/data?delete", named), "{*}Deleted/{*}Key") == ["a", "none"]
    assert texts(await ask(app, "GET", "/data"), "{*}Contents/{*}Key") == ["b/c"]


async def test_buckets_come_and_go(app: App) -> None:
    assert (await ask(app, "PUT", "/models")).status == 200
    assert code(await ask(app, "PUT", "/models")) == "BucketAlreadyOwnedByYou"
    assert texts(await ask(app, "GET", "/"), "{*}Buckets/{*}Bucket/{*}Name") == ["data", "models"]
    await ask(app, "PUT", "/models/a", b"1")
    assert code(await ask(app, "DELETE", "/models")) == "BucketNotEmpty"
    await ask(app, "DELETE", "/models/a")
    assert (await ask(app, "DELETE", "/models")).status == 204
    assert (await ask(app, "HEAD", "/models")).status == 404


async def test_what_a_folder_has_not_is_said(app: App) -> None:
    assert (await ask(app, "GET", "/data?versions")).status == 501
    assert (await ask(app, "PATCH", "/data/a")).status == 501


async def test_what_a_former_server_left_half_written_is_gone(tmp_path: Path) -> None:
    (tmp_path / INCOMING / "upload-1").mkdir(parents=True)
    Buckets(tmp_path)
    assert list((tmp_path / INCOMING).iterdir()) == []
