from datetime import UTC, datetime
from pathlib import Path

import pytest

from sidings.host.doctor import clock
from sidings.host.doctor.finding import Verdict


@pytest.mark.parametrize(
    ("year", "source", "verdict"),
    [
        (2026, "tsc", Verdict.OK),
        (2026, "", Verdict.OK),
        (2026, "hpet", Verdict.WARNING),
        (1970, "tsc", Verdict.PROBLEM),
    ],
)
def test_the_day_and_the_source(tmp_path: Path, year: int, source: str, verdict: Verdict) -> None:
    file = tmp_path / "source"
    if source:
        file.write_text(source + "\n")
    assert clock.examine(datetime(year, 5, 1, tzinfo=UTC), file).verdict is verdict
