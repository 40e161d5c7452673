from sidings.queue import partial_admission, workloads
from tests.queue.objects import workload


def searched(limit: int, **shape: int) -> tuple[int | None, list[int]]:
    """The count found where at most ``limit`` pods fit, and the counts that were tried."""
    tried: list[int] = []

    def attempt(counts: list[int]) -> int | None:
        tried.append(counts[0])
        return counts[0] if counts[0] <= limit else None

    return partial_admission.search(workloads.of_object(workload("w", **shape)).pod_sets, attempt), tried  # type: ignore[arg-type]


def test_the_largest_count_that_fits() -> None:
    assert [searched(limit, count=10, minCount=3)[0] for limit in (3, 6, 9)] == [3, 6, 9]


def test_few_attempts() -> None:
    assert len(searched(517, count=1000, minCount=1)[1]) <= 11


def test_below_the_minimum_nothing_is_found() -> None:
    assert searched(2, count=10, minCount=3)[0] is None


def test_without_a_minimum_nothing_is_tried() -> None:
    assert searched(2, count=10) == (None, [])
