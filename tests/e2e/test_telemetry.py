"""What a real engine says of real pods: ``sidings top``, and Prometheus that scrapes ``/metrics``."""

from __future__ import annotations

import json

import pytest

from sidings.answers.straggler import BUSY_CORES
from tests.e2e.machine import Machine, job_set, wait_for

pytestmark = pytest.mark.e2e
BUSY = "for n in 1 2 3 4; do setsid sh -c 'while :; do :; done' & done; wait"
"""Several, each in a session of its own: a machine of two cores that others keep busy gives one of them too little."""


def test_top_shows_ranks_and_marks_the_one_that_its_peers_wait_for(cluster: Machine) -> None:
    script = f"if [ $JOB_COMPLETION_INDEX = 1 ]; then {BUSY}; else sleep 1000; fi"
    cluster.apply(job_set("uneven", script, pods=2))

    def ranks() -> list[dict]:  # type: ignore[type-arg]
        jobs = json.loads(cluster.ok("top", "-o", "json"))
        return [rank for job in jobs if job["name"] == "uneven" for rank in job["ranks"]]

    def given() -> float:
        """The CPUs that this machine gives to the busy rank."""
        return max(rank["figures"].get("cpu", {}).get("recent", 0.0) for rank in ranks())

    def marked() -> bool:
        return [bool(rank["straggles"]) for rank in ranks()] == [False, True]

    try:
        wait_for(marked, seconds=120)
    except AssertionError:
        if (cpus := given()) < BUSY_CORES:
            pytest.skip(f"this machine is so busy that it gives {cpus:.2f} CPUs to what would take all")
        raise
    wait_for(lambda: "straggler: it uses" in cluster.ok("top", "uneven").splitlines()[2])
    lines = cluster.ok("top", "uneven").splitlines()
    assert lines[0].split() == ["JOB", "RANK", "CPU", "MEMORY", "RECV", "SENT", "NOTE"]
    assert [line.split()[:2] for line in lines[1:]] == [["uneven", "main-0"], ["uneven", "main-1"]]
    assert 'exported_job="uneven",rank="1"' in cluster.kubectl("get", "--raw", "/metrics")
    refused = cluster.sidings("top", "nobody")
    assert refused.returncode == 3
    assert "JOB_NOT_FOUND" in refused.stderr


def test_top_shows_how_far_a_job_says_it_is(cluster: Machine) -> None:
    line = "step 30/120 25% loss 0.5 1,200 rows/s ETA 1 min 30 s data 2% compute 85% communication 13%"
    cluster.apply(job_set("telling", f"echo '{line}'; sleep 1000", pods=2))

    def lines() -> list[list[str]]:
        return [each.split() for each in cluster.ok("top").splitlines()]

    wait_for(lambda: ["telling", "main-1"] in [words[:2] for words in lines()] and lines()[0][:2] == ["JOB", "STEP"])
    header, told, gap, ranks = lines()[:4]
    assert header == ["JOB", "STEP", "DONE", "LOSS", "RATE", "ETA", "DATA", "COMPUTE", "COMM", "TOLD"]
    assert told[:6] == ["telling", "30/120", "25%", "0.5", "1,200", "rows/s"]
    assert (gap, ranks[:3]) == ([], ["JOB", "RANK", "CPU"])
    [job] = json.loads(cluster.ok("top", "telling", "-o", "json"))
    assert job["progress"]["totalSteps"] == 120
    assert job["progress"]["estimatedRemainingSeconds"] < 90
