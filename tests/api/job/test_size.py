import pytest

from sidings.api.job.size import pods_at_once
from sidings.api.objects import Object


@pytest.mark.parametrize(
    ("spec", "pods"),
    [
        ({}, 1),
        ({"parallelism": 3}, 3),
        ({"parallelism": 3, "completions": None}, 3),
        ({"parallelism": 3, "completions": 2}, 2),
        ({"parallelism": 1, "completions": 5}, 1),
        ({"parallelism": 0, "completions": 5}, 0),
    ],
)
def test_no_more_than_parallelism_and_no_more_than_completions(spec: Object, pods: int) -> None:
    assert pods_at_once(spec) == pods
