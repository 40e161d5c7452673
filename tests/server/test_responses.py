import pytest

from sidings.api.status import NotFound, Timeout
from sidings.server.responses import error_response, warning_headers


def test_an_error_is_a_status() -> None:
    answer = error_response(NotFound('pods "p" not found', name="p", kind="pods"))
    assert answer.status == 404
    assert answer.content_type == b"application/json"
    assert answer.body == (
        b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \\"p\\" not found",'
        b'"reason":"NotFound","details":{"name":"p","kind":"pods"},"code":404}'
    )


def test_when_to_come_back() -> None:
    answer = error_response(Timeout("later", retry_after_seconds=3), [(b"a", b"b")])
    assert answer.headers == [(b"a", b"b"), (b"retry-after", b"3")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('unknown field "spec.x"', b'299 - "unknown field \\"spec.x\\""'),
        ("back\\slash", b'299 - "back\\\\slash"'),
        ("two\r\nlines", b'299 - "two  lines"'),
    ],
)
def test_a_warning_stays_within_its_header(text: str, value: bytes) -> None:
    assert warning_headers([text, text]) == [(b"warning", value)]
