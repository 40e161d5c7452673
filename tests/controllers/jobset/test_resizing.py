from sidings.api.feature_gates import ALL
from sidings.controllers.jobset import resizing
from tests.controllers.jobset.cluster import Cluster, group, make_jobset


def grown(cluster: Cluster, size: int | None) -> Cluster:
    spec = cluster.jobset["spec"]["replicatedJobs"][0]["template"]["spec"]
    spec |= {"parallelism": size, "completions": size}
    return cluster.settle()


def size_of(cluster: Cluster, name: str) -> tuple[int, int]:
    spec = cluster.jobs[name]["spec"]
    return spec["parallelism"], spec["completions"]


def test_running_jobs_get_the_new_size() -> None:
    cluster = grown(Cluster(make_jobset(group("a", 2), group("b")), ALL).settle(), 3)
    assert [size_of(cluster, name) for name in ("js-a-0", "js-a-1", "js-b-0")] == [(3, 3), (3, 3), (1, 1)]


def test_size_and_suspension_are_one_write() -> None:
    cluster = Cluster(make_jobset(group("a")), ALL).settle()
    cluster.jobset["spec"]["suspend"] = True
    assert size_of(grown(cluster, 2), "js-a-0") == (2, 2)
    assert cluster.jobs["js-a-0"]["spec"]["suspend"] is True
    cluster.jobset["spec"]["suspend"] = False
    assert size_of(grown(cluster, 3), "js-a-0") == (3, 3)
    assert cluster.jobs["js-a-0"]["spec"]["suspend"] is False


def test_without_the_gate_jobs_keep_their_size() -> None:
    assert size_of(grown(Cluster(make_jobset(group("a"))).settle(), 3), "js-a-0") == (1, 1)


def test_a_template_without_a_size_changes_nothing() -> None:
    cluster = Cluster(make_jobset(group("a")), ALL).settle()
    elastic = group("a")
    elastic["template"]["spec"] |= {"completionMode": "Indexed", "completions": None}
    assert resizing.resized(cluster.jobs["js-a-0"], elastic) is None
