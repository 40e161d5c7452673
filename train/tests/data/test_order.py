from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sidings_train import TrainError
from sidings_train.data.order import must_reach, permutation, shares, steps

KNOWN = [4, 3, 15, 10, 12, 6, 14, 17, 0, 19, 1, 18, 13, 5, 9, 7, 16, 8, 2, 11]


def test_a_permutation_is_a_function_of_seed_and_epoch() -> None:
    order = permutation(1000, seed=3, epoch=1)
    torch.manual_seed(99)
    assert torch.equal(order, permutation(1000, seed=3, epoch=1))
    assert sorted(order.tolist()) == list(range(1000))
    others = [permutation(1000, seed, epoch) for seed, epoch in ((3, 0), (3, 2), (4, 1), (-3, 1))]
    assert not any(torch.equal(order, other) for other in others)


@given(count=st.integers(0, 3000), seed=st.integers(), epoch=st.integers(0, 2**40))
def test_a_permutation_has_every_row_once(count: int, seed: int, epoch: int) -> None:
    assert sorted(permutation(count, seed, epoch).tolist()) == list(range(count))


def test_the_order_is_the_same_in_every_version_and_on_every_device() -> None:
    assert permutation(20, seed=3, epoch=1).tolist() == KNOWN
    if torch.cuda.is_available():
        on_gpu = permutation(100_000, 7, 2, torch.device("cuda"))
        assert torch.equal(on_gpu.cpu(), permutation(100_000, 7, 2))


def test_neighbours_and_batches_are_as_unlike_as_those_of_chance() -> None:
    rows = 100_000
    for epoch in range(3):
        order = permutation(rows, seed=5, epoch=epoch)
        gaps = (order[1:] - order[:-1]) % rows
        assert chi_squared(torch.bincount(gaps * 64 // rows, minlength=64)) < 130  # 63 expected, 11 is one deviation
        batches = order[:98_304].view(-1, 1024) * 16 // rows
        unevenness = [chi_squared(torch.bincount(batch, minlength=16)) for batch in batches]
        assert 12 < sum(unevenness) / len(unevenness) < 18  # 15 expected, 0.56 is one deviation


def chi_squared(counts: torch.Tensor) -> float:
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def epoch_of(count: int, size: int, ranks: int, position: int = 0, until: int | None = None) -> tuple[list[int], int]:
    """Rows that all ranks see from ``position``, and where they stand at the end (or after ``until`` steps)."""
    order, seen = torch.arange(count), []
    per_rank = [list(shares(order, position, size, rank, ranks))[:until] for rank in range(ranks)]
    for step in zip(*per_rank, strict=True):
        assert len({(len(share.rows), share.of_all) for share in step}) == 1
        seen += [row for share in step for row in share.rows.tolist()]
        position += step[0].of_all
    return seen, position


@given(count=st.integers(0, 200), size=st.integers(1, 20), ranks=st.integers(1, 5))
def test_every_row_once_and_equally_many_a_rank(count: int, size: int, ranks: int) -> None:
    seen, position = epoch_of(count, size, ranks)
    assert seen == list(range(position))
    assert count - position < ranks
    assert len(list(shares(torch.arange(count), 0, size, 0, ranks))) == steps(count, size, ranks)


@given(
    count=st.integers(0, 200),
    size=st.integers(1, 20),
    ranks=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    stop=st.integers(0, 5),
)
def test_going_on_with_another_number_of_ranks_sees_the_rest_once(
    count: int, size: int, ranks: tuple[int, int], stop: int
) -> None:
    before, position = epoch_of(count, size, ranks[0], until=stop)
    after, end = epoch_of(count, size, ranks[1], position)
    assert before + after == list(range(end))
    assert count - end < max(ranks)


def test_an_epoch_without_a_step_is_refused() -> None:
    must_reach(3, 3, "rows")
    with pytest.raises(TrainError, match=r"2 rows for 3 processes\nhelp: more data, or fewer"):
        must_reach(2, 3, "rows")
