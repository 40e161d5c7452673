import socket
from pathlib import Path

from sidings.host.doctor import port
from sidings.host.doctor.finding import Verdict
from sidings.host.home import Home


def test_a_port_that_is_taken_and_then_free(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        found = port.examine(Home(tmp_path), number)
        assert found.verdict is Verdict.WARNING and str(number) in found.remedy
    assert port.examine(Home(tmp_path), number).verdict is Verdict.OK
