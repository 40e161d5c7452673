import pytest

from sidings.server import health
from sidings.server.queries import Query


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/livez/", "/readyz", "/readyz/ping"])
def test_ok(path: str) -> None:
    response = health.answer(path, Query())
    assert response is not None
    assert (response.status, response.body, response.content_type) == (200, b"ok", b"text/plain; charset=utf-8")


def test_verbose() -> None:
    response = health.answer("/livez", Query(b"verbose"))
    assert response is not None
    assert response.body == b"[+]ping ok\nlivez check passed\n"


@pytest.mark.parametrize("path", ["/", "", "/livezz", "/readyz/other", "/other/livez", "/livez/ping/ping"])
def test_other_paths_are_none_of_ours(path: str) -> None:
    assert health.answer(path, Query()) is None
