import pytest

from sidings.client.server_warnings import each_once, texts
from sidings.server.responses import warning_headers


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", []),
        ('299 - "one"', ["one"]),
        ('299 - "one"\n299 - "two"', ["one", "two"]),
        ('299 - "one", 299 host:80 "two" "Mon, 30 Nov 2026 00:00:00 GMT"', ["one", "two"]),
        (r'299 - "say \"it\" \\ so"', ['say "it" \\ so']),
        ("299 - none", []),
    ],
)
def test_texts_of_a_header(header: str, found: list[str]) -> None:
    assert texts(header) == found


def test_what_our_server_says_is_read_as_it_was_meant() -> None:
    said = ['spec: "a" \\ b', "unknown field é", "a, b"]
    header = "\n".join(value.decode("latin-1") for _, value in warning_headers(said))
    assert texts(header) == said


def test_a_warning_is_told_once() -> None:
    told: list[str] = []
    tell = each_once(told.append)
    for text in ("a", "b", "a"):
        tell(text)
    assert told == ["a", "b"]
