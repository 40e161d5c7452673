from typing import Any

import pytest

from sidings.answers.straggler import stragglers


def rank(
    pod: str,
    *,
    busy: float | None = None,
    clock: float | None = None,
    cpu: float | None = None,
    part: str = "node",
    running: bool = True,
) -> dict[str, Any]:
    """A rank with one GPU where ``busy`` or ``clock`` is given."""
    known = {"utilization_percent": busy, "sm_clock_mhz": clock}
    gpu = {"figures": {name: {"recent": value} for name, value in known.items() if value is not None}}
    return {
        "pod": pod,
        "part": part,
        "running": running,
        "figures": {} if cpu is None else {"cpu": {"recent": cpu}},
        "gpus": [gpu] if gpu["figures"] else [],
    }


def test_a_gpu_that_idles_while_its_peers_spin_is_the_slow_one() -> None:
    found = stragglers([rank("a", busy=99), rank("b", busy=62), rank("c", busy=100)])
    assert found == {"b": "its GPU is 62% busy, its peers' 100%"}
    assert stragglers([rank("a", busy=99), rank("b", busy=85)]) == {}


def test_a_gpu_as_busy_as_the_others_may_be_slow_by_its_clock() -> None:
    found = stragglers([rank("a", busy=99, clock=1980), rank("b", busy=99, clock=1200)])
    assert found == {"b": "its GPU runs at 1200 MHz, its peers' at 1980"}


def test_without_gpus_the_one_that_works_while_the_others_sleep() -> None:
    assert stragglers([rank("a", cpu=0.4), rank("b", cpu=1.0)]) == {
        "b": "it uses 1.0 CPUs while its peers wait with 0.4"
    }
    assert stragglers([rank("a", cpu=0.1), rank("b", cpu=0.2)]) == {}
    assert stragglers([rank("a", busy=99, cpu=0.4), rank("b", busy=99, cpu=4.0)]) == {}


@pytest.mark.parametrize(
    "other", [rank("b", busy=99, part="data"), rank("b", busy=99, running=False), rank("b", cpu=1.0)]
)
def test_only_running_ranks_of_one_part_with_known_figures_are_compared(other: dict[str, Any]) -> None:
    assert stragglers([rank("a", busy=10), other]) == {}


def test_one_rank_has_no_peers() -> None:
    assert stragglers([rank("a", busy=1)]) == {}
    assert stragglers([]) == {}
