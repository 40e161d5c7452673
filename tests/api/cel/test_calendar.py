import pytest

from sidings.api.cel.errors import EvaluationError
from sidings.api.cel.program import compiled

MOMENT = "timestamp('2026-03-01T23:30:15.250Z')"


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("getFullYear()", 2026),
        ("getMonth()", 2),
        ("getDate()", 1),
        ("getDayOfMonth()", 0),
        ("getDayOfWeek()", 0),
        ("getDayOfYear()", 59),
        ("getHours()", 23),
        ("getHours('Europe/Berlin')", 0),
        ("getDate('+01:00')", 2),
        ("getMinutes('-00:45')", 45),
        ("getSeconds()", 15),
        ("getMilliseconds()", 250),
    ],
)
def test_of_times(asked, value):
    assert compiled(f"{MOMENT}.{asked}")({}) == value


def test_of_durations():
    asked = "[duration('90m').getHours(), duration('90m').getMinutes(), duration('1500ms').getMilliseconds()]"
    assert compiled(asked)({}) == [1, 90, 500]


@pytest.mark.parametrize("asked", [f"{MOMENT}.getHours('Mars')", f"{MOMENT}.getHours(1)", "duration('1s').getMonth()"])
def test_what_cannot_be_answered(asked):
    with pytest.raises(EvaluationError):
        compiled(asked)({})
