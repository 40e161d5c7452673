"""Whether a ClusterQueue can admit anything: its Active condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidings.queue.snapshot import ClusterQueue, Flavor

STOPPED = "Stopped"
FLAVOR_NOT_FOUND = "FlavorNotFound"
ADMISSION_CHECK_NOT_FOUND = "AdmissionCheckNotFound"
ADMISSION_CHECK_INACTIVE = "AdmissionCheckInactive"
TOPOLOGY_NOT_FOUND = "TopologyNotFound"
UNKNOWN = "Unknown"

COHORT_CYCLE = (UNKNOWN, "Can't admit new workloads.")
"""For queues under cohorts that are their own ancestors."""


def inactive(
    queue: ClusterQueue, flavors: Mapping[str, Flavor], topologies: Mapping[str, object], checks: Mapping[str, bool]
) -> tuple[str, str] | None:
    """(reason, message) of Active=False, None for an active queue.

    ``topologies`` are by flavor, ``checks`` say of each AdmissionCheck whether it is active. The first finding is the
    reason; the message tells all.
    """
    found = list(_findings(queue, flavors, topologies, checks))
    if not found:
        return None
    return found[0][0], f"Can't admit new workloads: {', '.join(text for _, text in found)}."


def _findings(
    queue: ClusterQueue, flavors: Mapping[str, Flavor], topologies: Mapping[str, object], checks: Mapping[str, bool]
) -> Iterator[tuple[str, str]]:
    named = sorted({name for group in queue.groups for name in group.flavors})
    if queue.stop_policy != "None":
        yield STOPPED, "is stopped"
    if missing := [name for name in named if name not in flavors]:
        yield FLAVOR_NOT_FOUND, f"references missing ResourceFlavor(s): {','.join(missing)}"
    if missing := sorted(name for name in queue.checks if name not in checks):
        yield ADMISSION_CHECK_NOT_FOUND, f"references missing AdmissionCheck(s): {','.join(missing)}"
    if idle := sorted(name for name in queue.checks if checks.get(name) is False):
        yield ADMISSION_CHECK_INACTIVE, f"references inactive AdmissionCheck(s): {','.join(idle)}"
    for name in named:
        topology = flavors[name].topology_name if name in flavors else None
        if topology and name not in topologies:
            yield TOPOLOGY_NOT_FOUND, f'there is no Topology "{topology}" for TAS flavor "{name}"'
