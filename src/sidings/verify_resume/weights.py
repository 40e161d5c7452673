"""Two checkpoints compared bit by bit: ``python weights.py ONE OTHER``, a program of its own, in the script's Python.

It is the only one here that needs torch, so it runs beside the command. A checkpoint is a file of ``torch.save``, a
folder of torch.distributed.checkpoint, or any other file, of which the bytes count. Files of ``torch.save`` with the
same content may differ in their bytes (what was loaded shares its objects in another way), so they are compared value
by value. Prints JSON, ``{"tensors": N, "bytes": N, "difference": ""}``; the difference is the name of the first value
that is not the same, or the count of steps, if that is another.
"""

from __future__ import annotations

import json
import pickle
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_STEPS = frozenset({"step", "steps", "global_step", "iteration", "iter"})


def load(path: Path) -> Any:
    """What ``path`` holds. Unpickles: its own script has just written it."""
    import torch

    if path.is_dir():
        from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "whole.pt"
            dcp_to_torch_save(path, whole)
            return torch.load(whole, map_location="cpu", weights_only=False)
    try:
        return torch.load(path, map_location="cpu", weights_only=False)
    except (RuntimeError, EOFError, pickle.UnpicklingError, ValueError, KeyError, IndexError):
        return path.read_bytes()


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that holds no others, by its path."""
    if isinstance(value, Mapping):
        for key in sorted(value, key=repr):
            yield from leaves(value[key], f"{name}.{key}" if name else str(key))
    elif isinstance(value, (list, tuple)):
        for index, one in enumerate(value):
            yield from leaves(one, f"{name}[{index}]")
    else:
        yield name, value


def bits(value: Any) -> tuple[object, ...]:
    """What has to be equal: type, shape and bytes of a tensor or array; the exact text of a number."""
    import torch

    if isinstance(value, torch.Tensor):
        plain = value.detach().cpu().contiguous()
        return str(value.dtype), tuple(value.shape), plain.reshape(-1).view(torch.uint8).numpy().tobytes()
    if hasattr(value, "tobytes"):
        return str(value.dtype), tuple(value.shape), value.tobytes()
    if isinstance(value, (bytes, bytearray)):
        return (bytes(value),)
    return type(value).__name__, repr(value)


def steps(values: Mapping[str, Any]) -> tuple[str, int] | None:
    """(name, value) of what counts the steps in a checkpoint, by its name; None where nothing does.

    An optimizer may count its own, deeper down.
    """
    shallow = ((name, value) for name, value in values.items() if name.count(".") <= 1)
    named = ((name, value) for name, value in shallow if name.rpartition(".")[2] in _STEPS)
    return next(((name, value) for name, value in named if type(value) is int), None)


def compare(one: Any, other: Any) -> dict[str, object]:
    """The answer that this program prints; ``one`` is of the uninterrupted run."""
    expected, found = dict(leaves(one)), dict(leaves(other))
    tensors = [value for value in expected.values() if hasattr(value, "element_size")]
    size = sum(value.element_size() * value.nelement() for value in tensors)
    answer: dict[str, object] = {"tensors": len(tensors), "bytes": size, "difference": ""}
    if (counted := steps(expected)) and (count := steps(found)) and counted != count:
        return answer | {"difference": f"{counted[0]} ({counted[1]} and {count[1]}: they are not of one step)"}
    for name in [*expected, *(found.keys() - expected.keys())]:
        if name not in expected or name not in found:
            return answer | {"difference": f"{name} is in one of the two only"}
        if bits(expected[name]) != bits(found[name]):
            return answer | {"difference": name or "its bytes"}
    return answer


if __name__ == "__main__":
    print(json.dumps(compare(load(Path(sys.argv[1])), load(Path(sys.argv[2])))))
