import os

from sidings.node.container_engine import program


def test_what_it_writes_and_how_it_ends() -> None:
    assert program.ask(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], {}) == (3, "out\n", "err\n")


def test_a_signal_counts_as_a_shell_counts_it() -> None:
    assert program.run(["/bin/sh", "-c", "kill -9 $$"], {}) == 137


def test_one_that_is_not_waited_for() -> None:
    reader, writer = os.pipe()
    pid = program.spawn(["/bin/sh", "-c", "read line; exit 4"], {}, stdin=reader)
    os.close(reader)
    assert program.ended(pid) is None
    os.write(writer, b"go on\n")
    os.close(writer)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert program.ended(pid) == 4


def test_it_has_only_what_it_is_given() -> None:
    reader, writer = os.pipe()
    assert program.run(["/usr/bin/env"], {"A": "1"}, stdout=writer) == 0
    os.close(writer)
    assert os.read(reader, 100) == b"A=1\n"
    os.close(reader)
