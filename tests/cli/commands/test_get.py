from datetime import UTC, datetime
from pathlib import Path

from sidings.answers.family import families
from sidings.cli.commands import get
from tests.answers.objects import condition, ended, job, job_set, pod, running, train_job, warning
from tests.cli.consoles import invocation, out

NOW = datetime(2026, 1, 1, 0, 3, 12, tzinfo=UTC)


def test_an_answer_about_a_job() -> None:
    tj = train_job()
    js = job_set(tj)
    child = job(js)
    pods = [pod(child, 0, "Running", node="n", containers=[running()]), pod(child, 1, node="n")]
    [family] = families(train_jobs=[tj], job_sets=[js], jobs=[child], pods=pods)
    assert get.job_answer(family, NOW) == {
        "namespace": "ns",
        "kind": "TrainJob",
        "name": "tj",
        "state": "Starting",
        "pods": "1/2",
        "restarts": 0,
        "age": "3m12s",
        "created": "2026-01-01T00:00:00Z",
        "reason": "",
    }


def test_a_job_without_a_job_set_wants_an_unknown_number_of_pods() -> None:
    [family] = families(train_jobs=[train_job()])
    assert get.job_answer(family, NOW)["pods"] == "0/?"
    assert get.name_line(get.job_answer(family, NOW)) == "trainjob.trainer.kubeflow.org/tj"


def test_an_answer_about_a_pod() -> None:
    child = job(None, name="j")
    one = pod(child, 1, node="node-1")
    [family] = families(jobs=[child], pods=[one], events=[warning(one, "FailedMount", "no")])
    answer = get.pod_answer(family, one, NOW)
    assert (answer["rank"], answer["state"], answer["node"]) == ("j-1", "Starting", "node-1")
    assert answer["reason"] == "FailedMount: no"


def test_the_table_has_a_reason_only_where_a_row_has_one(tmp_path: Path) -> None:
    good = families(jobs=[job(None, condition("Complete"), name="good")])
    bad_job = job(None, condition("Failed", "Limit", "limit"), name="bad")
    bad = families(jobs=[bad_job], pods=[pod(bad_job, 0, "Failed", containers=[ended(3)])])
    it = invocation(tmp_path)
    get.print_table(it, get.HEADERS, [get.job_answer(f, NOW) for f in good], all_namespaces=False)
    assert out(it.console) == (
        "KIND   NAME   STATE       PODS   RESTARTS   AGE\nJob    good   Succeeded   0/2    0          3m12s\n"
    )
    it = invocation(tmp_path)
    get.print_table(it, get.HEADERS, [get.job_answer(f, NOW) for f in bad], all_namespaces=True)
    assert out(it.console).splitlines() == [
        "NAMESPACE   KIND   NAME   STATE    PODS   RESTARTS   AGE     REASON",
        "ns          Job    bad    Failed   0/2    0          3m12s   Limit: bad-0 exited with 3 (Error)",
    ]


def test_programs_get_the_exact_time_and_no_age(tmp_path: Path) -> None:
    it = invocation(tmp_path)
    [family] = families(jobs=[job(None, name="j")])
    get.print_answers(it, [get.job_answer(family, NOW)], "yaml")
    assert "age" not in out(it.console)
    assert "created: '2026-01-01T00:00:00Z'" in out(it.console)
