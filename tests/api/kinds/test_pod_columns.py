from datetime import UTC, datetime

import pytest

from sidings.api.kinds.pod_columns import COLUMNS, summary

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def pod(status, *, init=(), deleting=False, **spec):
    metadata = {"name": "p", "creationTimestamp": "2026-11-30T11:59:29Z"}
    if deleting:
        metadata["deletionTimestamp"] = "2026-11-30T11:59:59Z"
    return {
        "metadata": metadata,
        "spec": {"containers": [{"name": "c"}], "initContainers": list(init), **spec},
        "status": status,
    }


def container(name="c", *, ready=False, restarts=0, last=None, **state):
    status = {"name": name, "ready": ready, "restartCount": restarts, "state": state}
    if last:
        status["lastState"] = {"terminated": {"exitCode": 1, "finishedAt": last}}
    return status


RUNNING = container(ready=True, running={"startedAt": "x"})


@pytest.mark.parametrize(
    ("status", "options", "word", "ready"),
    [
        ({"phase": "Pending"}, {}, "Pending", "0/1"),
        ({"phase": "Running", "containerStatuses": [RUNNING]}, {}, "Running", "1/1"),
        (
            {"phase": "Pending", "containerStatuses": [container(waiting={"reason": "ContainerCreating"})]},
            {},
            "ContainerCreating",
            "0/1",
        ),
        (
            {"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 3, "reason": "Error"})]},
            {},
            "Error",
            "0/1",
        ),
        ({"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 3})]}, {}, "ExitCode:3", "0/1"),
        (
            {"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 0, "signal": 9})]},
            {},
            "Signal:9",
            "0/1",
        ),
        ({"phase": "Failed", "reason": "Evicted"}, {}, "Evicted", "0/1"),
        ({"phase": "Running", "containerStatuses": [RUNNING]}, {"deleting": True}, "Terminating", "1/1"),
        ({"phase": "Succeeded"}, {"deleting": True}, "Succeeded", "0/1"),
        ({"phase": "Running", "reason": "NodeLost"}, {"deleting": True}, "Unknown", "0/1"),
        (
            {"phase": "Pending", "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]},
            {},
            "SchedulingGated",
            "0/1",
        ),
        (
            {"phase": "Pending", "initContainerStatuses": [container("i", running={})]},
            {"init": [{"name": "i"}]},
            "Init:0/1",
            "0/1",
        ),
        (
            {
                "phase": "Failed",
                "initContainerStatuses": [container("i", terminated={"exitCode": 1, "reason": "Error"})],
            },
            {"init": [{"name": "i"}]},
            "Init:Error",
            "0/1",
        ),
        (
            {
                "phase": "Pending",
                "initContainerStatuses": [container("i", terminated={"exitCode": 0}), container("j", running={})],
            },
            {"init": [{"name": "i"}, {"name": "j"}]},
            "Init:1/2",
            "0/1",
        ),
        (
            {
                "phase": "Running",
                "initContainerStatuses": [{**container("s", ready=True, running={}), "started": True}],
                "containerStatuses": [RUNNING],
            },
            {"init": [{"name": "s", "restartPolicy": "Always"}]},
            "Running",
            "2/2",
        ),
    ],
)
def test_the_word_and_how_many_are_ready(status, options, word, ready):
    found = summary(pod(status, **options))
    assert (found.status, f"{found.ready}/{found.total}") == (word, ready)


def test_a_pod_with_one_container_done_and_one_running():
    done = container("d", terminated={"exitCode": 0, "reason": "Completed"})
    status = {"phase": "Running", "containerStatuses": [done, RUNNING]}
    assert summary(pod(status)).status == "NotReady"
    status["conditions"] = [{"type": "Ready", "status": "True"}]
    assert summary(pod(status)).status == "Running"


def test_all_cells():
    running = container(ready=True, restarts=3, last="2026-11-30T11:55:00Z", running={})
    status = {"phase": "Running", "containerStatuses": [running], "podIPs": [{"ip": "10.1.0.2"}]}
    obj = pod(status, nodeName="node-1", readinessGates=[{"conditionType": "a"}])
    cells = {column.name: column.cell(obj, NOW) for column in COLUMNS if column.cell}
    assert cells == {
        "Ready": "1/1",
        "Status": "Running",
        "Restarts": "3 (5m ago)",
        "Age": "31s",
        "IP": "10.1.0.2",
        "Node": "node-1",
        "Nominated Node": "<none>",
        "Readiness Gates": "0/1",
    }
