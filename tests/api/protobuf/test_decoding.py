"""``commands.json`` holds bodies that kubectl 1.37.1 sent for ``kubectl create ...`` and the objects they stand for.

``job.json`` is what it sent for ``kubectl create job j --from=cronjob/full``, where the cron job had a value in every
field that a Job and its pod can have.
"""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api import protobuf, schemas
from sidings.api.protobuf.decoding import MAGIC
from sidings.api.protobuf.table import load
from sidings.api.status import BadRequest

HERE = Path(__file__).parent
COMMANDS: dict[str, dict[str, Any]] = json.loads((HERE / "commands.json").read_text())
JOB: dict[str, Any] = json.loads((HERE / "job.json").read_text())


def piece(number: int, data: bytes) -> bytes:
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def envelope(api_version: str, kind: str, message: bytes = b"") -> bytes:
    return MAGIC + piece(1, piece(1, api_version.encode()) + piece(2, kind.encode())) + piece(2, message)


@pytest.mark.parametrize("kind", COMMANDS)
def test_what_kubectl_sends_is_the_object_it_means(kind: str) -> None:
    sent = COMMANDS[kind]
    assert protobuf.decode(base64.b64decode(sent["body"])) == sent["object"]


def test_nothing_of_a_job_is_lost() -> None:
    decoded = protobuf.decode(base64.b64decode(JOB["body"]))
    assert decoded == JOB["object"]
    pod_spec = schemas.definition("io.k8s.api.core.v1.PodSpec")["properties"]
    assert set(decoded["spec"]["template"]["spec"]) == set(pod_spec)
    assert set(decoded["spec"]) == set(schemas.definition("io.k8s.api.batch.v1.JobSpec")["properties"])


def test_a_pointer_to_zero_is_a_value_and_an_unset_field_is_none() -> None:
    options = envelope("v1", "DeleteOptions", b"\x08\x00\x18\x00")
    assert protobuf.decode(options) == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
        "orphanDependents": False,
    }
    # The uid (5), generation (7) and creationTimestamp (8) of an ObjectMeta that has none of them.
    metadata = piece(1, piece(1, b"n") + piece(5, b"") + b"\x38\x00" + piece(8, b""))
    assert protobuf.decode(envelope("v1", "Namespace", metadata))["metadata"] == {"name": "n"}


def test_a_time_is_written_to_the_second() -> None:
    moment = b"\x08\x80\xf2\xd6\xca\x06\x10\x05"
    decoded = protobuf.decode(envelope("v1", "Namespace", piece(1, piece(9, moment))))
    assert decoded["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"


def test_negative_numbers_are_ten_bytes() -> None:
    options = envelope("v1", "DeleteOptions", b"\x08" + b"\xff" * 9 + b"\x01")
    assert protobuf.decode(options)["gracePeriodSeconds"] == -1


def test_unknown_fields_are_passed_over() -> None:
    assert protobuf.decode(envelope("v1", "Namespace", piece(15, b"new") + b"\x7d1234"))["kind"] == "Namespace"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "expected prefix [107 56 115 0]"),
        (b"{}", "expected prefix [107 56 115 0]"),
        (MAGIC + b"\x0a", "couldn't get version/kind; proto: unexpected EOF"),
        (MAGIC, 'no kind "" is registered for version ""'),
        (envelope("v1", "Frob"), 'no kind "Frob" is registered for version "v1"'),
        (
            envelope("v1", "Namespace", b"\x0a\x05"),
            'Namespace in version "v1" cannot be handled as a Namespace: proto: unexpected EOF',
        ),
        (
            envelope("v1", "Namespace", piece(1, piece(1, b"\xff"))),
            "Namespace in version \"v1\" cannot be handled as a Namespace: proto: 'utf-8'",
        ),
        (envelope("v1", "Namespace", b"\x08\x01"), "wrong wireType = 0"),
        (envelope("v1", "DeleteOptions", piece(1, b"1")), "wrong wireType = 2"),
    ],
)
def test_what_cannot_be_decoded_is_a_bad_request(body: bytes, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        protobuf.decode(body)
    assert message in caught.value.message


def decodes_or_is_refused(body: bytes) -> None:
    try:
        assert {"apiVersion", "kind"} <= protobuf.decode(body).keys()
    except BadRequest as error:
        assert error.message


@given(st.binary(max_size=80))
def test_garbage_is_a_bad_request(garbage: bytes) -> None:
    decodes_or_is_refused(garbage)
    decodes_or_is_refused(MAGIC + garbage)


@given(st.sampled_from(sorted(load().kinds)), st.binary(max_size=80))
def test_a_garbage_message_of_any_kind_is_a_bad_request(kind: str, garbage: bytes) -> None:
    api_version, _, name = kind.rpartition("/")
    decodes_or_is_refused(envelope(api_version, name, garbage))


@given(st.integers(0, 6000), st.integers(0, 255))
def test_a_damaged_body_is_a_bad_request(position: int, byte: int) -> None:
    body = bytearray(base64.b64decode(JOB["body"]))
    body[position % len(body)] = byte
    decodes_or_is_refused(bytes(body))
    decodes_or_is_refused(bytes(body[: position % len(body)]))
