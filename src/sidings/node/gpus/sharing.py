"""Which logical node has which GPUs. Pure.

Nodes get runs of the driver's order, so that the answer is the same at every start as long as the options are, and a
pod that an earlier engine started still sits on a device of its node.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.node.errors import DevicesExhausted
from sidings.node.gpus.source import Unit


def share(units: Sequence[Unit], nodes: int, per_node: int | None = None) -> list[tuple[Unit, ...]]:
    """The units of each of ``nodes`` nodes: ``per_node`` each, or (None) all of them, the first nodes having one more.

    Raises ``DevicesExhausted`` where ``per_node`` is more than there is.
    """
    if per_node is None:
        least, more = divmod(len(units), nodes) if nodes else (0, 0)
        sizes = [least + (number < more) for number in range(nodes)]
    else:
        if per_node * nodes > len(units):
            raise DevicesExhausted(
                f"{nodes} node(s) with {per_node} GPU(s) each cannot be made",
                cause=f"this machine has {len(units)}",
                remedy="sidings up --simulate-gpus   (advertises GPUs that are not there)",
            )
        sizes = [per_node] * nodes
    starts = [sum(sizes[:number]) for number in range(nodes)]
    return [tuple(units[start : start + size]) for start, size in zip(starts, sizes, strict=True)]
