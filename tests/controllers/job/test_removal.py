from sidings.api import objects
from sidings.controllers.job import removal
from tests.controllers.job.jobs import at, make_job, make_pod


def names(pods: list[dict]) -> list[str]:
    return [objects.name_of(pod) for pod in pods]


def ready_since(seconds: float, uid: str) -> dict:
    pod = make_pod(ready=True, uid=uid)
    pod["status"]["conditions"][0]["lastTransitionTime"] = at(seconds)
    return pod


def test_the_cheapest_pods_go_first() -> None:
    by_worth = [
        make_pod(phase="Pending", node="", uid="unscheduled"),
        make_pod(phase="Pending", uid="pending"),
        make_pod(restarts=3, uid="restarting"),
        make_pod(created=-10, uid="young"),
        make_pod(created=-20, uid="old"),
        ready_since(-1, "lately"),
        ready_since(-30, "long"),
    ]
    job = make_job(parallelism=9)
    chosen = removal.choose(job, reversed(by_worth), len(by_worth))
    assert names(chosen) == names(by_worth)
    assert names(removal.choose(job, by_worth, 2)) == ["unscheduled", "pending"]


def test_indexed_jobs_first_lose_pods_without_a_place() -> None:
    job = make_job(completions=2)
    keeper, twin = make_pod(0, ready=True, uid="keeper"), make_pod(0, uid="twin")
    beyond, other = make_pod(2, uid="beyond"), make_pod(1, uid="other")
    assert set(names(removal.choose(job, [keeper, twin, beyond, other], 0))) == {"twin", "beyond"}
    assert set(names(removal.choose(job, [keeper, twin, beyond, other], 3))) == {"twin", "beyond", "other"}
