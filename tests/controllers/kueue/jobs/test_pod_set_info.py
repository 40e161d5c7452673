"""What an admission adds to templates, and how it is taken away."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.kueue.jobs import pod_set_info
from sidings.controllers.kueue.jobs.pod_set_info import PodSetConflict, PodSetInfo

FLAVOR = {
    "metadata": {"name": "gpu"},
    "spec": {"nodeLabels": {"pool": "a"}, "tolerations": [{"key": "t", "operator": "Exists"}]},
}


def workload(**assignment: object) -> Object:
    return {
        "metadata": {"name": "w"},
        "spec": {"queueName": "lq"},
        "status": {
            "admission": {
                "clusterQueue": "cq",
                "podSetAssignments": [{"name": "main", "count": 2, "flavors": {"cpu": "gpu"}, **assignment}],
            }
        },
    }


def test_flavors_bring_selectors_and_tolerations() -> None:
    (info,) = pod_set_info.of_admission(workload(), {"gpu": FLAVOR})
    assert info.node_selector == {"pool": "a"}
    assert info.tolerations == [{"key": "t", "operator": "Exists"}]
    assert info.labels == {
        "kueue.x-k8s.io/podset": "main",
        "kueue.x-k8s.io/local-queue-name": "lq",
        "kueue.x-k8s.io/cluster-queue-name": "cq",
    }
    assert info.annotations == {"kueue.x-k8s.io/workload": "w"}
    assert info.gates == []


def test_a_placement_holds_pods_back() -> None:
    (info,) = pod_set_info.of_admission(workload(topologyAssignment={"levels": ["a"]}), {"gpu": FLAVOR})
    assert info.gates == [{"name": "kueue.x-k8s.io/topology"}]


def test_checks_may_add() -> None:
    obj = workload()
    obj["status"]["admissionChecks"] = [
        {"name": "c", "podSetUpdates": [{"name": "main", "nodeSelector": {"zone": "z"}, "labels": {"l": "1"}}]}
    ]
    (info,) = pod_set_info.of_admission(obj, {"gpu": FLAVOR})
    assert info.node_selector == {"pool": "a", "zone": "z"}
    assert info.labels["l"] == "1"


def test_a_queue_name_that_is_no_label_is_left_out() -> None:
    obj = workload()
    obj["status"]["admission"]["clusterQueue"] = "q" * 100
    (info,) = pod_set_info.of_admission(obj, {"gpu": FLAVOR})
    assert "kueue.x-k8s.io/cluster-queue-name" not in info.labels


def test_another_value_of_the_same_key_is_a_conflict() -> None:
    template: Object = {"spec": {"nodeSelector": {"pool": "b"}}}
    with pytest.raises(PodSetConflict, match="conflict for nodeSelector: conflict for key=pool, value1=b, value2=a"):
        pod_set_info.apply(template, PodSetInfo("main", 1, node_selector={"pool": "a"}))


def test_what_was_added_is_taken_away() -> None:
    original: Object = {"metadata": {"labels": {"mine": "1"}}, "spec": {"nodeSelector": {"u": "1"}}}
    template: Object = {"metadata": {"labels": {"mine": "1", "job-name": "j"}}, "spec": {"nodeSelector": {"u": "1"}}}
    (info,) = pod_set_info.of_admission(workload(), {"gpu": FLAVOR})
    pod_set_info.apply(template, info)
    assert template["spec"]["nodeSelector"] == {"u": "1", "pool": "a"}
    pod_set_info.restore(template, original, ("job-name",))
    assert template == {
        "metadata": {"labels": {"mine": "1", "job-name": "j"}},
        "spec": {"nodeSelector": {"u": "1"}},
    }
