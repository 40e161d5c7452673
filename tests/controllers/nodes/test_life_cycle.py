"""A silent node is Unknown and tainted, and is cleared when it speaks again."""

from datetime import timedelta

from sidings.api.objects import Object
from sidings.api.timestamps import from_text, to_text
from sidings.controllers.nodes.life_cycle import GRACE_SECONDS, seconds_left, silenced, wanted_taints
from tests.controllers.pods import node

HEARD = "2026-01-01T00:00:00Z"


def reporting(status: str = "True", taints: list[Object] | None = None) -> Object:
    made = node("n", taints=taints)
    ready = {"type": "Ready", "status": status, "lastHeartbeatTime": HEARD, "lastTransitionTime": HEARD}
    made["status"]["conditions"] = [ready]
    return made


def test_silence_is_counted_from_the_last_heartbeat() -> None:
    heard = from_text(HEARD)
    assert seconds_left(reporting(), heard + timedelta(seconds=20)) == GRACE_SECONDS - 20
    assert seconds_left(node("never"), heard) is None


def test_silenced_once() -> None:
    changed = silenced(reporting(), "later")
    assert changed is not None
    assert changed["status"]["conditions"][0] | {"message": ""} == {
        "type": "Ready",
        "status": "Unknown",
        "reason": "NodeStatusUnknown",
        "message": "",
        "lastHeartbeatTime": HEARD,
        "lastTransitionTime": "later",
    }
    assert silenced(changed, "even later") is None


def test_taints_come_and_go_and_leave_others_alone() -> None:
    own = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
    silent = wanted_taints(reporting("Unknown", [own]), "t")
    assert silent == [
        own,
        {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "t"},
    ]
    assert wanted_taints(reporting("Unknown", silent), "later") == silent
    assert wanted_taints(reporting("True", silent), to_text(from_text(HEARD))) == [own]
    assert {taint["key"] for taint in wanted_taints(reporting("False"), "t")} == {"node.kubernetes.io/not-ready"}
