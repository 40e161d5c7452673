import pytest

from sidings.server import health
from sidings.server.queries import Query

CHECKS = {"store": lambda: "", "node": lambda: "no node is ready"}


def body(path: str, raw: bytes = b"") -> tuple[int, str]:
    response = health.answer(path, Query(raw), CHECKS)
    assert response is not None
    return response.status, response.body.decode()


@pytest.mark.parametrize("path", ["/livez", "/livez/", "/livez/ping", "/readyz/store"])
def test_ok(path: str) -> None:
    assert body(path) == (200, "ok")


def test_a_failed_check_is_named_and_explained_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert body("/readyz") == (
        500,
        "[+]ping ok\n[+]store ok\n[-]node failed: reason withheld\nreadyz check failed\n",
    )
    assert "no node is ready" in caplog.text


def test_verbose() -> None:
    assert body("/livez", b"verbose") == (200, "[+]ping ok\nlivez check passed\n")


@pytest.mark.parametrize("path", ["/", "/livezz", "/readyz/other", "/livez/store"])
def test_other_paths_are_none_of_ours(path: str) -> None:
    assert health.answer(path, Query(), CHECKS) is None
