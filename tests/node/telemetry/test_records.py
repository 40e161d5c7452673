from sidings.node.gpus.in_memory import h200
from sidings.node.gpus.source import Reading
from sidings.node.telemetry import report
from sidings.node.telemetry.consumption import Consumption
from sidings.node.telemetry.records import MAX_GONE, Measurement, Records
from sidings.node.telemetry.workload import Workload

RANK = Workload("u", "fraud", "train-node-0-0-x", "node-1", "JobSet", "train", "node", "0")


def bare(number: int) -> Workload:
    return Workload(f"uid-{number}", "default", f"pod-{number}", "node-1", "Job", f"job-{number}")


def test_counters_become_rates_and_gpus_are_followed_one_by_one() -> None:
    records = Records()
    for moment, busy in ((100.0, 50.0), (102.0, 100.0)):
        reading = Reading(h200(1).uuid, utilization_percent=busy)
        consumed = Consumption(moment * 3, 2**20, int(moment) * 1000, None)
        records.add(moment, RANK, Measurement(consumed, ((h200(1), reading),)))
    (job,) = report.jobs(records)
    assert (job["namespace"], job["kind"], job["name"]) == ("fraud", "JobSet", "train")
    (rank,) = job["ranks"]
    assert rank["figures"]["cpu"] == {"now": 3.0, "recent": 3.0, "mean": 3.0, "peak": 3.0}
    assert rank["figures"]["received_bytes_per_second"]["now"] == 1000
    assert "sent_bytes_per_second" not in rank["figures"]
    assert rank["gpus"][0]["index"] == 1
    busy = {"now": 100.0, "recent": 75.0, "mean": 75.0, "peak": 100.0}
    assert rank["gpus"][0]["figures"] == {"utilization_percent": busy}


def test_what_a_pod_did_stays_when_it_has_ended_but_nothing_of_it_is_now() -> None:
    records = Records()
    records.add(1, RANK, Measurement(Consumption(0, 100)))
    records.rest([])
    (rank,) = report.jobs(records)[0]["ranks"]
    assert not rank["running"]
    assert rank["figures"]["memory_bytes"] == {"mean": 100, "peak": 100}
    records.add(9, RANK, Measurement(Consumption(50, 100)))
    assert "cpu" not in report.jobs(records)[0]["ranks"][0]["figures"]


def test_a_job_is_forgotten_when_it_is_gone() -> None:
    records = Records()
    records.add(1, RANK, Measurement(Consumption()))
    records.add(1, bare(1), Measurement(Consumption()))
    assert records.jobs_without({"u"}) == {("default", "Job", "job-1")}
    records.forget([("default", "Job", "job-1")], {"u"})
    assert [record.workload.uid for record in records] == ["u"]


def test_of_pods_that_are_gone_the_oldest_are_forgotten_where_there_are_too_many() -> None:
    records = Records()
    for number in range(MAX_GONE + 3):
        records.add(1, bare(number), Measurement(Consumption()))
    records.forget([], {"uid-0"})
    kept = [record.workload.uid for record in records]
    assert len(kept) == MAX_GONE + 1
    assert kept[:2] == ["uid-0", "uid-3"]
