import pytest

from sidings.api import feature_gates
from sidings.api.feature_gates import Gate


@pytest.mark.parametrize(
    ("text", "gates"),
    [
        ("", set()),
        ("RestartJob=true", {Gate.RESTART_JOB}),
        ("RestartJob=true, InPlaceRestart=True", {Gate.RESTART_JOB, Gate.IN_PLACE_RESTART}),
        ("ElasticJobSet=false", set()),
        ("ElasticJobSet=true,ElasticJobSet=false", set()),
    ],
)
def test_what_is_switched_on(text: str, gates: set[Gate]) -> None:
    assert feature_gates.parse(text) == gates


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Restart=true", "there is no gate Restart; there are ElasticJobSet, InPlaceRestart, RestartJob"),
        ("RestartJob", "RestartJob is neither true nor false"),
        ("RestartJob=1", "RestartJob is neither true nor false"),
    ],
)
def test_what_cannot_be_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        feature_gates.parse(text)
