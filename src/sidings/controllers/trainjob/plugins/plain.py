"""No framework: the trainer's number of nodes and the user's env, nothing else."""

from __future__ import annotations

from sidings.api.trainer import words
from sidings.controllers.trainjob import upsert
from sidings.controllers.trainjob.info import RuntimeInfo


def enforce(info: RuntimeInfo) -> None:
    set_node_count(info)
    add_user_env(info)


def set_node_count(info: RuntimeInfo) -> None:
    """``trainer.numNodes`` pods; 0 is a number too."""
    nodes = (info.trainer or {}).get("numNodes")
    if nodes is not None:
        for pod_set in info.training():
            pod_set.count = nodes


def add_user_env(info: RuntimeInfo) -> None:
    for pod_set in info.training():
        node = pod_set.container(words.NODE)
        if node is not None:
            upsert.env(node, (info.trainer or {}).get("env") or ())
