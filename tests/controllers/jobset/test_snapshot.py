import pytest

from sidings.api import objects
from sidings.api.objects import Object
from sidings.controllers.jobset.snapshot import classify
from tests.controllers.jobset.cluster import make_jobset

JOBSET = {**make_jobset(), "status": {"restarts": 1}}


def job(attempt: str = "1", *conditions: str, owner: str = "js-uid") -> Object:
    reference = {**objects.controller_ref(JOBSET), "uid": owner}
    return {
        "metadata": {
            "name": f"{attempt}-{'-'.join(conditions)}",
            "labels": {"jobset.sigs.k8s.io/restart-attempt": attempt},
            "ownerReferences": [reference],
        },
        "status": {"conditions": [{"type": type_, "status": "True"} for type_ in conditions]},
    }


@pytest.mark.parametrize(
    ("made", "bucket"),
    [
        (job(), "active"),
        (job("1", "Suspended"), "active"),
        (job("1", "FailureTarget"), "active"),
        (job("1", "SuccessCriteriaMet"), "active"),
        (job("1", "FailureTarget", "Failed"), "failed"),
        (job("1", "SuccessCriteriaMet", "Complete"), "successful"),
        (job("0", "Complete"), "previous"),
        (job("0"), "previous"),
    ],
)
def test_every_child_is_in_one_list(made: Object, bucket: str) -> None:
    children = classify(JOBSET, [made])
    assert getattr(children, bucket) == [made]
    assert children.all == [made]


def test_a_job_of_another_owner_is_no_child() -> None:
    assert classify(JOBSET, [job(owner="a JobSet of the same name, long gone")]).all == []


def test_a_child_of_an_unknown_attempt_is_an_error() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        classify(JOBSET, [job("x")])
