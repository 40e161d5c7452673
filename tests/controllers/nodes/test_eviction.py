"""Who must leave a node with a NoExecute taint, and when."""

from datetime import timedelta

import pytest

from sidings.api.objects import Object
from sidings.api.timestamps import from_text
from sidings.controllers.nodes.eviction import seconds_to_stay
from tests.controllers.pods import pod

ADDED = "2026-01-01T00:00:00Z"
TAINT: Object = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": ADDED}


@pytest.mark.parametrize(
    ("tolerations", "stay"),
    [
        ([], -60),
        ([{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300}], 240),
        ([{"operator": "Exists"}], None),
        ([{"operator": "Exists"}, {"operator": "Exists", "tolerationSeconds": 100}], 40),
        ([{"key": "other", "operator": "Exists"}], -60),
    ],
)
def test_stay(tolerations: list[Object], stay: float | None) -> None:
    now = from_text(ADDED) + timedelta(seconds=60)
    assert seconds_to_stay(pod(tolerations=tolerations), [TAINT], now) == stay


def test_other_effects_evict_nobody() -> None:
    assert seconds_to_stay(pod(), [TAINT | {"effect": "NoSchedule"}], from_text(ADDED)) is None
