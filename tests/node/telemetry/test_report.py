from sidings.node.telemetry.report import PodRecord, jobs
from sidings.node.telemetry.workload import Workload


def record(pod: str, rank: str = "", part: str = "node", namespace: str = "a", job: str = "j") -> PodRecord:
    return PodRecord(Workload(pod, namespace, pod, "node-1", "JobSet" if job else "", job, part, rank), 0.0)


def test_ranks_come_in_order_and_jobs_by_name() -> None:
    records = [record("x", "10"), record("y", "9"), record("z", "0", "data"), record("w", namespace="b", job="")]
    found = jobs(records)
    assert [(job["namespace"], job["kind"], job["name"]) for job in found] == [("a", "JobSet", "j"), ("b", "Pod", "w")]
    assert [rank["pod"] for rank in found[0]["ranks"]] == ["z", "y", "x"]
    assert jobs(records, "b") == found[1:]
