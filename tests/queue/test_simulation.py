"""Invariants of a day in the queues, on virtual time and for random streams."""

import itertools
import random
from collections import Counter

import pytest

from sidings.api.objects import Object
from sidings.queue import workloads
from sidings.queue.admission_fair_sharing import USAGE_BASED, Rules
from sidings.queue.preemption import Config
from sidings.queue.simulation import BEGIN, Arrival, Report, Simulation, What
from sidings.queue.usage_history import UsageHistory
from tests.queue.objects import cluster_queue, flavor, workload

POLICY = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}


def arrival(
    name: str, cpu: int, *, at: float = 0.0, queue: str = "q", runtime: float = 10.0, priority: int = 0
) -> Arrival:
    view = workloads.of_object(workload(name, str(cpu), queue=queue, priority=priority))
    return Arrival(at, view, queue, runtime, "all")


def played(
    queues: list[Object], arrivals: list[Arrival], history: UsageHistory | None = None, **options: float
) -> Report:
    config = Config(bool(options.pop("fair_sharing", False)))
    writes = options.pop("writes_per_second", None)
    flush_after = options.pop("flush_after", 0.0)
    tick, clock = options.pop("tick", 0.0), itertools.count()
    simulation = Simulation(
        [flavor(), *queues],
        arrivals,
        config,
        flush_after=flush_after,
        writes_per_second=writes,
        measure=lambda: tick * next(clock),
        history=history,
    )
    return simulation.run()


def times(report: Report, what: What) -> dict[str, float]:
    return {h.workload.removeprefix("default/"): h.at for h in report.history if h.what is what}


def test_one_after_the_other() -> None:
    report = played([cluster_queue("q", "4")], [arrival("a", 3), arrival("b", 3)])
    assert times(report, What.ADMITTED) == {"a": 0.0, "b": 10.0}
    assert report.makespan == 20.0
    assert report.busy == {"cpu": 3000 * 20.0}
    assert report.waits == {"all": [0.0, 10.0]}


def test_changes_are_collected_before_a_second_look() -> None:
    report = played([cluster_queue("q", "4")], [arrival("a", 3), arrival("b", 3)], flush_after=1.0)
    assert times(report, What.ADMITTED)["b"] == 11.0


def test_a_limit_on_writes_delays_what_is_beyond_the_burst() -> None:
    arrivals = [arrival(f"w{index}", 1) for index in range(10)]
    report = played([cluster_queue("q", "10")], arrivals, writes_per_second=2)
    assert max(times(report, What.ADMITTED).values()) == pytest.approx(3.0)
    assert report.writes == 10


def test_whoever_is_preempted_starts_anew_and_ends() -> None:
    queues = [cluster_queue("q", "4", preemption=POLICY)]
    report = played(queues, [arrival("low", 4, priority=-1), arrival("high", 4, at=5.0)])
    assert times(report, What.EVICTED) == {"low": 5.0}
    assert times(report, What.FINISHED) == {"high": 15.0, "low": 25.0}


def random_day(seed: int) -> tuple[list[Object], list[Arrival]]:
    rng = random.Random(seed)
    strategies = {"a": "StrictFIFO", "b": "BestEffortFIFO", "c": "BestEffortFIFO"}
    queues = [
        cluster_queue(name, "6", cohortName="team", queueingStrategy=strategy, preemption=POLICY)
        for name, strategy in strategies.items()
    ]
    arrivals = [
        arrival(
            f"w{index}",
            rng.randint(1, 6),
            at=rng.uniform(0, 60),
            queue=rng.choice("abc"),
            runtime=rng.uniform(1, 10),
            priority=rng.randint(-1, 1),
        )
        for index in range(60)
    ]
    return queues, arrivals


@pytest.mark.parametrize("fair_sharing", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_quota_is_kept_and_everything_ends_once(seed: int, fair_sharing: bool) -> None:
    queues, arrivals = random_day(seed)
    # Queues that reclaim from each other may evict in a circle, as upstream's; what ends it is that time passes.
    report = played(queues, arrivals, fair_sharing=fair_sharing, tick=0.02)
    size = {a.workload.key: a.workload.pod_sets[0].requests["cpu"] for a in arrivals}
    running: set[str] = set()
    for happening in report.history:
        if happening.what is What.ADMITTED:
            assert happening.workload not in running, "admitted twice"
            running.add(happening.workload)
        else:
            running.remove(happening.workload)
        assert sum(size[key] for key in running) <= 18000, f"over the cohort's quota at {happening.at}"
    finished = Counter(h.workload for h in report.history if h.what is What.FINISHED)
    assert finished == Counter(a.workload.key for a in arrivals)


@pytest.mark.parametrize("seed", range(8))
def test_the_head_of_a_strict_queue_is_never_passed(seed: int) -> None:
    rng = random.Random(seed)
    queues = [cluster_queue("q", "6", queueingStrategy="StrictFIFO")]
    arrivals = [arrival(f"w{i}", rng.randint(1, 6), at=float(i), runtime=rng.uniform(1, 9)) for i in range(40)]
    admitted = [h.workload for h in played(queues, arrivals).history if h.what is What.ADMITTED]
    assert admitted == [a.workload.key for a in arrivals]


def test_the_local_queue_that_has_used_less_goes_first() -> None:
    """Two teams, one of which came first with all it has: without a look at past use the other would wait for all."""
    local_queues = [
        {"kind": "LocalQueue", "metadata": {"name": name, "namespace": "default"}, "spec": {"clusterQueue": "q"}}
        for name in ("early", "late")
    ]
    history = UsageHistory(local_queues, Rules(half_life=60.0, sampling_interval=10.0), BEGIN)
    jobs = [arrival(f"e{number}", 4, queue="early") for number in range(3)] + [arrival("l0", 4, at=1.0, queue="late")]
    jobs = [job._replace(cluster_queue="q") for job in jobs]
    scope = {"admissionMode": USAGE_BASED}
    asked = times(played([cluster_queue("q", "4", admissionScope=scope)], jobs, history), What.ADMITTED)
    assert sorted(asked, key=lambda name: asked[name]) == ["e0", "l0", "e1", "e2"]
    unasked = times(played([cluster_queue("q", "4")], jobs), What.ADMITTED)
    assert sorted(unasked, key=lambda name: unasked[name]) == ["e0", "e1", "e2", "l0"]
