"""What torch says about memory, and what becomes of batches."""

from __future__ import annotations

import pytest

from sidings.answers.resubmission import Revision
from sidings.answers.why import gpu_memory
from sidings.api.objects import Object
from tests.answers.objects import job, pod

TORCH = (
    "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of 15.77 GiB of which 514.19 MiB is free. Of \
the allocated memory 13.73 GiB is allocated by PyTorch, and {} is reserved by PyTorch but unallocated. If reserved but \
unallocated memory is large try setting {}=expandable_segments:True to avoid fragmentation."
)


def mended(line: str, **container: object) -> Object | None:
    """The container after the change; None where there is none."""
    owner = job(None, name="j")
    made: Object = {"name": "c", "image": "i", **container}
    owner["spec"]["template"] = {"spec": {"containers": [made]}}
    revision = Revision(owner)
    path = revision.container(pod(owner, 0), "c")
    assert path is not None
    found: Object | None = revision.at(path) if gpu_memory.mend(revision, path, made, line) else None
    return found


@pytest.mark.parametrize("name", ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"])
def test_memory_in_pieces_is_the_allocators(name: str) -> None:
    found = mended(TORCH.format("546.00 MiB", "0.71 GiB", name), command=["train", "--batch-size=8"])
    assert found is not None
    assert found["env"] == [{"name": name, "value": "expandable_segments:True"}]
    assert found["command"] == ["train", "--batch-size=8"]


def test_who_has_set_the_allocator_already_needs_smaller_batches() -> None:
    env = [{"name": "PYTORCH_CUDA_ALLOC_CONF", "value": "max_split_size_mb:128"}]
    line = TORCH.format("546.00 MiB", "736.86 MiB", "PYTORCH_CUDA_ALLOC_CONF")
    found = mended(line, env=env, args=["--batch-size=8"])
    assert found is not None
    assert (found["args"], found["env"]) == (["--batch-size=4"], env)
    assert mended(line, env=env, args=["--lr=1"]) is None


@pytest.mark.parametrize(
    ("words", "smaller"),
    [
        (["train", "--batch-size", "64", "--lr", "3"], ["train", "--batch-size", "32", "--lr", "3"]),
        (["--per_device_train_batch_size=9"], ["--per_device_train_batch_size=4"]),
        (
            ["sh", "-c", "python t.py --micro-batch-size 2 --epochs 2"],
            ["sh", "-c", "python t.py --micro-batch-size 1 --epochs 2"],
        ),
        (["--batch-size", "1"], ["--batch-size", "1"]),
        (["--batch-size", "auto", "8"], ["--batch-size", "auto", "8"]),
        (["--batches=8", "batch-size=8"], ["--batches=8", "batch-size=8"]),
        ([], []),
    ],
)
def test_half_of_each_batch(words: list[str], smaller: list[str]) -> None:
    assert gpu_memory.halved(words) == smaller


def test_without_a_batch_size_nothing_is_known() -> None:
    assert mended(TORCH.format("16.00 GiB", "335.07 MiB", "PYTORCH_ALLOC_CONF"), command=["python", "t.py"]) is None
    assert mended("CUDA out of memory.", command=["python", "t.py"]) is None
