from sidings.controllers.job import claiming
from tests.controllers.job.jobs import at, make_job, make_pod


def orphan(**labels: str) -> dict:
    pod = make_pod(uid="orphan")
    del pod["metadata"]["ownerReferences"]
    pod["metadata"]["labels"] = labels
    return pod


def selecting_job() -> dict:
    return make_job(manualSelector=True, selector={"matchLabels": {"x": "1"}})


def test_a_pod_belongs_to_the_job_with_the_uid_of_its_controller() -> None:
    job, mine, others = make_job(), make_pod(uid="mine"), make_pod(uid="others")
    others["metadata"]["ownerReferences"][0]["uid"] = "an earlier job of the same name"
    assert claiming.owned(job, [mine, others, orphan()]) == [mine]


def test_orphans_that_the_selector_matches_are_adopted() -> None:
    match = orphan(x="1")
    assert claiming.adoptable(selecting_job(), [match, orphan(x="2"), make_pod()]) == [match]


def test_nothing_is_adopted_on_the_way_out() -> None:
    leaving, job = orphan(x="1"), selecting_job()
    leaving["metadata"]["deletionTimestamp"] = at(0)
    assert claiming.adoptable(job, [leaving]) == []
    job["metadata"]["deletionTimestamp"] = at(0)
    assert claiming.adoptable(job, [orphan(x="1")]) == []
