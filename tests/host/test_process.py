import os
import subprocess
import sys

from sidings.host import process
from sidings.host.process import ProcessId


def test_this_process_lives() -> None:
    me = process.of_this_process()
    assert me.pid == os.getpid()
    assert process.is_alive(me)


def test_a_number_is_not_a_process() -> None:
    me = process.of_this_process()
    assert not process.is_alive(ProcessId(me.pid, me.start_ticks + 1, me.boot_id))
    assert not process.is_alive(ProcessId(me.pid, me.start_ticks, "another boot"))


def test_an_ended_process_is_gone_even_before_its_parent_has_noticed() -> None:
    child = subprocess.Popen([sys.executable, "-S", "-c", ""], stdin=subprocess.DEVNULL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process.start_ticks(child.pid) is None  # a zombie
    child.wait()
    assert process.start_ticks(child.pid) is None
