from typing import Any

import pytest

from sidings.api.pods import Session, StreamOptions
from sidings.api.status import BadRequest
from sidings.server import exec
from sidings.server.queries import Query

POD = {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "a"}, {"name": "b"}]}}


def test_streams_of_a_query() -> None:
    assert exec.options(Query(b"container=b&stdin=1&stdout=true&tty=true"), POD) == StreamOptions(
        "b", stdin=True, stdout=True, tty=True
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (b"stdout=1", "a container name must be specified for pod p, choose one of: [a b]"),
        (b"container=c&stdout=1", "container c is not valid for pod p"),
        (b"container=a", "you must specify at least 1 of stdin, stdout, stderr"),
        (b"container=a&tty=1&stdout=1&stderr=1", "tty and stderr cannot both be true"),
    ],
)
def test_queries_that_are_refused(query: bytes, message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        exec.options(Query(query), POD)
    assert refused.value.message == message


def test_a_pod_without_a_node() -> None:
    with pytest.raises(BadRequest, match="pod p does not have a host assigned"):
        exec.options(Query(b"stdout=1"), {**POD, "spec": {"containers": [{"name": "a"}]}})


def test_the_words_of_a_command() -> None:
    assert exec.command(Query(b"command=sh&command=-c&command=a+b&command=&stdout=1")) == ("sh", "-c", "a b", "")
    with pytest.raises(BadRequest, match="you must specify a command"):
        exec.command(Query(b"stdout=1"))


@pytest.mark.parametrize("code", [0, 3])
async def test_the_status_of_an_exit_code(code: int) -> None:
    class Ends:
        async def execute(self, pod: Any, command: Any, options: Any, session: Any) -> int:
            return code

        async def attach(self, pod: Any, options: StreamOptions, session: Session) -> None: ...

    status = await exec.execute(Ends(), POD, ("x",), StreamOptions("a", stdout=True), None)  # type: ignore[arg-type]
    if code == 0:
        assert status == {"metadata": {}, "status": "Success"}
    else:
        assert status["reason"] == "NonZeroExitCode"
        assert status["message"] == "command terminated with non-zero exit code: exit status 3"
        assert status["details"] == {"causes": [{"reason": "ExitCode", "message": "3"}]}
