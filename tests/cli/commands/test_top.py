from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.answers.progress import Progress
from sidings.cli.commands import top

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def figures(**now: float) -> dict[str, dict[str, float]]:
    return {name: {"now": value, "mean": value / 2, "peak": value * 2} for name, value in now.items()}


def rank(number: str, *gpus: dict[str, Any], straggles: str = "", running: bool = True) -> dict[str, Any]:
    own = figures(cpu=1.234, memory_bytes=3 * 2**30, received_bytes_per_second=2048)
    return {
        "part": "node", "rank": number, "pod": f"p-{number}", "running": running, "figures": own, "gpus": list(gpus),
        "straggles": straggles,
    }  # fmt: skip


def gpu(index: int) -> dict[str, Any]:
    return {"index": index, "figures": figures(utilization_percent=40, memory_used_bytes=2**30, power_watts=312.4)}


def job(*ranks: dict[str, Any]) -> dict[str, Any]:
    return {"namespace": "fraud", "kind": "JobSet", "name": "train", "ranks": list(ranks)}


def test_every_gpu_has_a_line_and_its_rank_the_first() -> None:
    lines = top.table([job(rank("0", gpu(0), gpu(1)), rank("1", gpu(2), straggles="slow"))], all_namespaces=True)
    assert [" ".join(line.split()) for line in lines] == [
        "NAMESPACE JOB RANK GPU UTIL AVG PEAK GPU-MEM POWER CPU MEMORY RECV SENT NOTE",
        "fraud train node-0 0 40% 20% 80% 1.0Gi 312W 1.23 3.0Gi 2.0Ki/s -",
        "fraud train node-0 1 40% 20% 80% 1.0Gi 312W",
        "fraud train node-1 2 40% 20% 80% 1.0Gi 312W 1.23 3.0Gi 2.0Ki/s - straggler: slow",
    ]


def test_without_gpus_their_columns_are_left_out_and_an_ended_rank_shows_its_mean() -> None:
    ended = rank("0", running=False)
    ended["figures"] = {"cpu": {"mean": 0.5, "peak": 1.0}}
    lines = top.table([job(ended)], all_namespaces=False)
    assert [line.split() for line in lines] == [
        ["JOB", "RANK", "CPU", "MEMORY", "RECV", "SENT", "NOTE"],
        ["train", "node-0", "0.50", "-", "-", "-", "ended"],
    ]


def test_nothing_to_show_is_no_table() -> None:
    assert top.table([], all_namespaces=False) == []
    assert top.table([job()], all_namespaces=False) == []


def test_jobs_that_say_how_far_they_are_come_first() -> None:
    told = Progress(
        634, 1902, 33, 0.0123456, 107412.3, "rows", 185.0, 12.0, 0.02, 0.85, 0.13, told=NOW - timedelta(seconds=5)
    )
    shown = top.Shown([job(rank("0")), job(rank("0"))], [told, None], NOW)
    lines = shown.lines(all_namespaces=True)
    assert [" ".join(line.split()) for line in lines[:4]] == [
        "NAMESPACE JOB STEP DONE LOSS RATE ETA CHECKPOINT DATA COMPUTE COMM TOLD",
        "fraud train 634/1902 33% 0.012346 107,412 rows/s 3m 17s ago 2% 85% 13% 5s ago",
        "",
        "NAMESPACE JOB RANK CPU MEMORY RECV SENT",
    ]
    assert lines[3:] == top.table(shown.jobs, all_namespaces=True)
    first, second = shown.to_json()
    assert first["progress"]["step"] == 634
    assert first["ranks"] == second["ranks"]
    assert "progress" not in second


def test_where_nobody_says_how_far_it_is_there_are_ranks_alone() -> None:
    shown = top.Shown([job(rank("0"))], [None], NOW)
    assert shown.lines(all_namespaces=False) == top.table(shown.jobs, all_namespaces=False)
    step_alone = top.Shown([job(rank("0"))], [Progress(step=3)], NOW)
    assert [line.split() for line in step_alone.lines(all_namespaces=False)[:2]] == [["JOB", "STEP"], ["train", "3"]]
