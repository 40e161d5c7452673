from datetime import UTC, datetime

from sidings.api import table
from sidings.api.kinds.event import KIND

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def cells(event):
    return table.cells(KIND, event, NOW)


def test_a_classic_event():
    event = {
        "metadata": {"name": "p.1", "namespace": "default"},
        "involvedObject": {
            "kind": "Pod",
            "name": "p",
            "namespace": "default",
            "fieldPath": "spec.containers{c}",
        },
        "type": "Normal",
        "reason": "Started",
        "message": " started\n",
        "firstTimestamp": "2026-11-30T11:50:00Z",
        "lastTimestamp": "2026-11-30T11:59:00Z",
        "count": 3,
        "source": {"component": "node-agent", "host": "node-1"},
    }
    assert cells(event) == [
        "60s",
        "Normal",
        "Started",
        "pod/p",
        "spec.containers{c}",
        "node-agent, node-1",
        "started",
        "10m",
        3,
        "p.1",
    ]


def test_an_event_of_the_newer_kind():
    event = {
        "metadata": {"name": "a.1"},
        "involvedObject": {"kind": "JobSet", "name": "a"},
        "message": "m",
        "eventTime": "2026-11-30T11:59:30.000000Z",
        "reportingComponent": "jobset",
        "reportingInstance": "",
    }
    assert cells(event) == ["30s", "", "", "jobset/a", "", "jobset", "m", "30s", 1, "a.1"]
    event["series"] = {"count": 7, "lastObservedTime": "2026-11-30T11:59:50.000000Z"}
    assert cells(event)[0] == "10s"
    assert cells(event)[-2] == 7


def test_an_event_lives_with_its_object():
    event = {"metadata": {"namespace": "a"}, "involvedObject": {"namespace": "b"}}
    assert [str(error) for error in KIND.rules.validate(event)] == [
        'involvedObject.namespace: Invalid value: "b": does not match event.namespace'
    ]
    about_a_node = {"metadata": {"namespace": "default"}, "involvedObject": {"kind": "Node"}}
    assert KIND.rules.validate(about_a_node) == []
