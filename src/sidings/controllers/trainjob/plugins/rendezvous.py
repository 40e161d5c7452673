"""What torch, JAX and XGBoost share: the env of a node container and the port where the first node listens."""

from __future__ import annotations

from collections.abc import Iterable

from sidings.api.objects import Object
from sidings.api.trainer import words
from sidings.controllers.trainjob import upsert
from sidings.controllers.trainjob.info import PodSet


def value(name: str, text: str) -> Object:
    return {"name": name, "value": text}


def completion_index(name: str) -> Object:
    """The pod's index in its Job, which is its rank."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": words.COMPLETION_INDEX_PATH}}}


def add(pod_set: PodSet, variables: Iterable[Object]) -> None:
    """Give the node container ``variables``, which win over what it has, and the port."""
    node = pod_set.container(words.NODE)
    if node is not None:
        upsert.env(node, variables)
        upsert.port(node, words.RENDEZVOUS_PORT)
