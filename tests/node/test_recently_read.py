from pathlib import Path

from sidings.clock import ManualClock
from sidings.node.logs import BEGINNING, Position
from sidings.node.recently_read import RECENT_SECONDS, RecentlyRead

LOG, OTHER = Path("pods/a/logs/c/0.log"), Path("pods/b/logs/c/0.log")


def test_a_log_that_was_just_read_goes_on_from_there() -> None:
    clock = ManualClock()
    read = RecentlyRead(clock)
    assert read.known(LOG) == BEGINNING
    read.note(LOG, Position(7, 100))
    assert read.known(LOG) == Position(7, 100)
    assert read.known(OTHER) == BEGINNING
    clock.advance(RECENT_SECONDS)
    assert read.known(LOG) == BEGINNING
