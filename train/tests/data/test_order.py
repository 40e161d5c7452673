from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from sidings_train.data.order import permutation, shares, steps


def test_a_permutation_is_a_function_of_seed_and_epoch() -> None:
    order = permutation(1000, seed=3, epoch=1)
    torch.manual_seed(99)
    assert torch.equal(order, permutation(1000, seed=3, epoch=1))
    assert sorted(order.tolist()) == list(range(1000))
    others = [permutation(1000, seed, epoch) for seed, epoch in ((3, 0), (3, 2), (4, 1), (-3, 1))]
    assert not any(torch.equal(order, other) for other in others)


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
