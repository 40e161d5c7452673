from sidings.answers.family import families, main_part, short_name
from sidings.api.objects import copy_of, name_of
from tests.answers.objects import job, job_set, pod, train_job, warning


def test_everything_that_was_made_for_a_train_job_is_one_family() -> None:
    tj = train_job()
    js = job_set(tj)
    child = job(js)
    pods = [pod(child, 1), pod(child, 0)]
    note = warning(pods[0], "FailedMount", "no")

    [family] = families(train_jobs=[tj], job_sets=[js], jobs=[child], pods=pods, events=[note])

    assert family.root is tj
    assert family.job_set is js
    assert [name_of(p) for p in family.pods] == ["tj-node-0-0-aaaaa", "tj-node-0-1-aaaaa"]
    assert family.events == [note]
    assert family.members == [tj, js, child, *family.pods]


def test_jobs_and_job_sets_of_their_own_are_roots() -> None:
    js, alone = job_set(name="js"), job(None, name="j")
    found = families(job_sets=[js], jobs=[job(js), alone], pods=[pod(alone, 0)])
    assert [(f.kind, name_of(f.root), len(f.jobs), len(f.pods)) for f in found] == [
        ("JobSet", "js", 1, 0),
        ("Job", "j", 1, 1),
    ]


def test_a_recreated_job_does_not_inherit_the_pods_of_its_predecessor() -> None:
    old = job(None, name="j")
    new = copy_of(old)
    new["metadata"]["uid"] = "another"
    [family] = families(jobs=[new], pods=[pod(old, 0)])
    assert family.pods == []


def test_pods_without_a_job_belong_to_no_family() -> None:
    assert families(pods=[pod(job(None), 0)]) == []


def test_wanted_pods_counts_parts_that_have_not_started() -> None:
    js = job_set(parts=(("data-prep", 1), ("training", 2)), name="p")
    [family] = families(job_sets=[js], jobs=[job(js, part="data-prep", pods=1)])
    assert family.wanted_pods() == 3


def test_wanted_pods_is_unknown_while_only_the_train_job_exists() -> None:
    [family] = families(train_jobs=[train_job()])
    assert family.wanted_pods() is None


def test_short_names_say_part_replica_and_rank() -> None:
    js = job_set(name="p")
    assert short_name(pod(job(js, part="training"), 1)) == "training-0-1"
    assert short_name(pod(job(None, name="j"), 3)) == "j-3"


def test_ranks_belong_to_the_part_that_decides_about_success() -> None:
    js = job_set(parts=(("training", 2), ("monitor", 1)))
    [family] = families(job_sets=[js])
    assert main_part(family) == "monitor"
    js["spec"]["successPolicy"] = {"operator": "All", "targetReplicatedJobs": ["training"]}
    assert main_part(family) == "training"
    js["spec"]["replicatedJobs"][1]["template"]["metadata"] = {
        "labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    }
    assert main_part(family) == "monitor"
