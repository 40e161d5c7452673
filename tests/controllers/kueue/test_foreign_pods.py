from typing import Any

from sidings.api.kueue import keys
from sidings.controllers.kueue.foreign_pods import ForeignPods
from sidings.queue.topology import domains
from sidings.queue.topology.domains import HOSTNAME, Topology
from tests.queue import objects


def topology() -> Topology:
    return domains.build("tp", [HOSTNAME], {}, [objects.node("n", "4", "10")])


def pod(phase: str = "Running", **annotations: str) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": "1500m"}}}
    return {
        "metadata": {"name": "p", "namespace": "team", "annotations": annotations},
        "spec": {"nodeName": "n", "containers": [container]},
        "status": {"phase": phase},
    }


def free(place: Topology) -> dict[str, int]:
    return place.leaf(("n",)).capacity


def test_a_pod_takes_its_room_until_it_ends() -> None:
    place, pods = topology(), ForeignPods()
    assert pods.see(pod(), [place], gone=False) == (True, False)
    assert free(place) == {"cpu": 2500, "pods": 9}
    assert pods.see(pod(), [place], gone=False) == (False, False)
    assert pods.see(pod("Succeeded"), [place], gone=False) == (False, True)
    assert free(place) == {"cpu": 4000, "pods": 10}


def test_a_pod_that_goes_gives_its_room_back() -> None:
    place, pods = topology(), ForeignPods()
    pods.see(pod(), [place], gone=False)
    assert pods.see(pod(), [place], gone=True) == (False, True)
    assert free(place) == {"cpu": 4000, "pods": 10}
    assert pods.known() == set()


def test_a_pod_that_the_queue_has_placed_is_counted_by_its_placement() -> None:
    place, pods = topology(), ForeignPods()
    assert pods.see(pod(**{keys.WORKLOAD: "w"}), [place], gone=False) == (False, False)
    assert free(place) == {"cpu": 4000, "pods": 10}


def test_a_topology_that_is_built_anew_is_occupied_again() -> None:
    pods, place = ForeignPods(), topology()
    pods.see(pod(), [], gone=False)
    pods.occupy([place])
    assert free(place) == {"cpu": 2500, "pods": 9}
