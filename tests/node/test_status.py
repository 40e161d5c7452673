from datetime import UTC, datetime
from typing import Any

from sidings.api.conditions import find
from sidings.node.sandbox.spec import Attempt
from sidings.node.status import Ending, Waiting, pod_status
from tests.node.pods import container, pod

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
START = NOW.timestamp() - 60
RUNNING = {"c": [Attempt(0, START)]}
DONE = {"c": [Attempt(0, START, START + 30, 0, reason="Completed")]}


def _condition(status: dict[str, Any], type_: str) -> tuple[str, str | None]:
    condition = find(status["conditions"], type_)
    assert condition is not None
    return condition["status"], condition.get("reason")


def test_a_pod_that_starts_is_pending_with_reasons() -> None:
    status = pod_status(pod(), {}, now=NOW)
    assert status["phase"] == "Pending"
    assert status["containerStatuses"][0]["state"] == {"waiting": {"reason": "ContainerCreating"}}
    assert _condition(status, "Ready") == ("False", "ContainersNotReady")
    assert _condition(status, "Initialized") == ("True", None)
    message = find(status["conditions"], "Ready")
    assert message is not None and message["message"] == "containers with unready status: [c]"


def test_a_running_pod_is_ready_and_has_its_addresses() -> None:
    status = pod_status(pod(), RUNNING, now=NOW, address="10.244.1.2", host_address="10.244.1.1")
    assert (status["phase"], status["podIP"], status["hostIP"]) == ("Running", "10.244.1.2", "10.244.1.1")
    assert status["podIPs"] == [{"ip": "10.244.1.2"}]
    assert status["containerStatuses"][0]["state"] == {"running": {"startedAt": "2026-01-01T11:59:00Z"}}
    assert status["containerStatuses"][0]["ready"] is True
    assert _condition(status, "Ready") == ("True", None)


def test_every_container_status_has_what_typed_clients_require() -> None:
    for attempts in ({}, RUNNING, DONE):
        for shown in pod_status(pod(), attempts, now=NOW)["containerStatuses"]:
            assert {"name", "ready", "restartCount", "image", "imageID"} <= shown.keys()
            assert all(shown[field] is not None for field in ("name", "ready", "restartCount", "image", "imageID"))


def test_a_container_keeps_its_id_after_its_end() -> None:
    attempts = {"c": [Attempt(0, START, START + 1, 1, reason="Error"), Attempt(1, START + 2)]}
    [shown] = pod_status(pod(), attempts, now=NOW)["containerStatuses"]
    assert shown["containerID"] == "sidings://c-1"
    assert shown["lastState"]["terminated"]["containerID"] == "sidings://c-0"


def test_a_finished_pod_says_completed() -> None:
    status = pod_status(pod(), DONE, now=NOW, ending=Ending("Succeeded"))
    assert status["phase"] == "Succeeded"
    terminated = status["containerStatuses"][0]["state"]["terminated"]
    assert (terminated["exitCode"], terminated["reason"]) == (0, "Completed")
    assert _condition(status, "Ready") == ("False", "PodCompleted")
    assert _condition(status, "PodReadyToStartContainers") == ("False", None)


def test_a_killed_container_shows_code_signal_and_message() -> None:
    attempts = {"c": [Attempt(0, START, START + 1, 137, 9, "Error", "last words")]}
    terminated = pod_status(pod(), attempts, now=NOW, ending=Ending("Failed"))["containerStatuses"][0]["state"][
        "terminated"
    ]
    assert (terminated["exitCode"], terminated["signal"], terminated["message"]) == (137, 9, "last words")


def test_a_deadline_is_the_pods_reason() -> None:
    status = pod_status(pod(), RUNNING, now=NOW, ending=Ending("Failed", "DeadlineExceeded", "too long"))
    assert (status["reason"], status["message"]) == ("DeadlineExceeded", "too long")


def test_a_container_that_never_ran_in_a_finished_pod_is_unknown() -> None:
    status = pod_status(pod(), {}, now=NOW, ending=Ending("Failed"))
    terminated = status["containerStatuses"][0]["state"]["terminated"]
    assert (terminated["exitCode"], terminated["reason"]) == (137, "ContainerStatusUnknown")


def test_crash_loop_shows_the_wait_and_the_last_end() -> None:
    attempts = {
        "c": [Attempt(0, START, START + 1, 1, reason="Error"), Attempt(1, START + 2, START + 3, 2, reason="Error")]
    }
    waiting = {"c": Waiting("CrashLoopBackOff", "back-off 10s")}
    shown = pod_status(pod(restartPolicy="Always"), attempts, now=NOW, waiting=waiting)["containerStatuses"][0]
    assert shown["state"] == {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}
    assert shown["lastState"]["terminated"]["exitCode"] == 2
    assert shown["restartCount"] == 1


def test_restarted_container_shows_the_previous_end() -> None:
    attempts = {"c": [Attempt(0, START, START + 1, 1, reason="Error"), Attempt(1, START + 2)]}
    shown = pod_status(pod(restartPolicy="Always"), attempts, now=NOW)["containerStatuses"][0]
    assert shown["lastState"]["terminated"]["exitCode"] == 1
    assert "running" in shown["state"]


def test_init_containers_hold_the_others_back() -> None:
    inits = pod(initContainers=[container("i")])
    status = pod_status(inits, {"i": [Attempt(0, START)]}, now=NOW)
    assert status["phase"] == "Pending"
    assert status["containerStatuses"][0]["state"] == {"waiting": {"reason": "PodInitializing"}}
    assert _condition(status, "Initialized") == ("False", "ContainersNotInitialized")
    done = pod_status(inits, {"i": [Attempt(0, START, START + 1, 0)]} | RUNNING, now=NOW)
    assert done["initContainerStatuses"][0]["ready"] is True
    assert _condition(done, "Initialized") == ("True", None)


def test_transition_times_stay_while_a_condition_stays() -> None:
    before = pod()
    before["status"] = {
        "startTime": "2026-01-01T11:00:00Z",
        "conditions": [
            {"type": "Initialized", "status": "True", "lastTransitionTime": "2026-01-01T11:00:00Z"},
            {
                "type": "Ready",
                "status": "False",
                "reason": "ContainersNotReady",
                "lastTransitionTime": "2026-01-01T11:00:00Z",
            },
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T11:00:00Z"},
        ],
    }
    status = pod_status(before, RUNNING, now=NOW)
    initialized, ready = find(status["conditions"], "Initialized"), find(status["conditions"], "Ready")
    assert initialized is not None and ready is not None
    assert initialized["lastTransitionTime"] == "2026-01-01T11:00:00Z"
    assert (ready["lastTransitionTime"], ready["reason"]) == ("2026-01-01T12:00:00Z", None)
    assert find(status["conditions"], "PodScheduled") is None, "it is the scheduler's"
    assert status["startTime"] == "2026-01-01T11:00:00Z"


class _Probed:
    """Probes of which ``started`` and ``ready`` containers have passed."""

    def __init__(self, started: str = "", ready: str = "") -> None:
        self.started, self.ready = started, ready

    def is_started(self, container: str) -> bool:
        return container in self.started

    def is_ready(self, container: str) -> bool:
        return container in self.ready


def test_probes_decide_whether_a_running_container_is_started_and_ready() -> None:
    shown = pod_status(pod(), RUNNING, now=NOW, health=_Probed())
    assert (shown["containerStatuses"][0]["started"], shown["containerStatuses"][0]["ready"]) == (False, False)
    assert (shown["phase"], _condition(shown, "Ready")) == ("Running", ("False", "ContainersNotReady"))
    shown = pod_status(pod(), RUNNING, now=NOW, health=_Probed("c", "c"))
    assert _condition(shown, "Ready") == ("True", None)


def test_a_sidecar_is_ready_by_its_probe_and_initialized_once_started() -> None:
    sidecar = pod(initContainers=[container("s", restartPolicy="Always")])
    shown = pod_status(sidecar, {"s": RUNNING["c"]}, now=NOW, health=_Probed())
    assert (shown["initContainerStatuses"][0]["ready"], _condition(shown, "Initialized")[0]) == (False, "False")
    shown = pod_status(sidecar, {"s": RUNNING["c"]}, now=NOW, health=_Probed("s", "s"))
    assert (shown["initContainerStatuses"][0]["ready"], _condition(shown, "Initialized")[0]) == (True, "True")


def test_readiness_gates_are_other_peoples_conditions() -> None:
    gated = pod(readinessGates=[{"conditionType": "example.com/a"}, {"conditionType": "example.com/b"}])
    gated["status"] = {"conditions": [{"type": "example.com/a", "status": "False"}]}
    shown = pod_status(gated, RUNNING, now=NOW)
    condition = find(shown["conditions"], "Ready")
    assert condition is not None and condition["reason"] == "ReadinessGatesNotReady"
    assert condition["message"] == (
        'the status of pod readiness gate "example.com/a" is not "True", but False, '
        'corresponding condition of pod readiness gate "example.com/b" does not exist.'
    )
    assert _condition(shown, "ContainersReady") == ("True", None)
    gated["status"]["conditions"] = [{"type": f"example.com/{name}", "status": "True"} for name in "ab"]
    assert _condition(pod_status(gated, RUNNING, now=NOW), "Ready") == ("True", None)
