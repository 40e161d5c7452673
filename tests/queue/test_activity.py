from sidings.queue import snapshot
from tests.queue.objects import cluster_queue, cohort, flavor

CHECKED = {"admissionChecksStrategy": {"admissionChecks": [{"name": "budget"}]}}


def test_the_first_finding_is_the_reason_and_the_message_tells_all() -> None:
    state = snapshot.build([cluster_queue("q", stopPolicy="Hold", **CHECKED)])
    assert state.queues["q"].inactive == (
        "Stopped",
        "Can't admit new workloads: is stopped, references missing ResourceFlavor(s): default,"
        " references missing AdmissionCheck(s): budget.",
    )


def test_a_check_must_be_active() -> None:
    check = {"kind": "AdmissionCheck", "metadata": {"name": "budget"}, "status": {}}
    objects = [flavor(), cluster_queue("q", **CHECKED)]
    idle = snapshot.build([*objects, check]).queues["q"].inactive
    assert idle == (
        "AdmissionCheckInactive",
        "Can't admit new workloads: references inactive AdmissionCheck(s): budget.",
    )
    check["status"] = {"conditions": [{"type": "Active", "status": "True"}]}
    assert snapshot.build([*objects, check]).queues["q"].inactive is None


def test_a_flavor_needs_its_topology() -> None:
    state = snapshot.build([flavor(topologyName="tp"), cluster_queue("q")])
    assert state.queues["q"].inactive == (
        "TopologyNotFound",
        'Can\'t admit new workloads: there is no Topology "tp" for TAS flavor "default".',
    )


def test_cohorts_in_a_circle_admit_nothing() -> None:
    circle = [cohort("a", "b"), cohort("b", "a"), cohort("below", "a"), cohort("fine")]
    queues = [cluster_queue(name, cohortName=name) for name in ("a", "below", "fine")]
    state = snapshot.build([flavor(), *circle, *queues])
    assert {name: queue.inactive is None for name, queue in state.queues.items()} == {
        "a": False,
        "below": False,
        "fine": True,
    }
