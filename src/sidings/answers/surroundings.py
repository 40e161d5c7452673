"""What a job depends on beside its own objects: queues and who holds their quota, nodes, claims, logs.

Whoever asks brings it, from the embedded engine, a real cluster or a recording; what could not be read is in
``unreadable``, so that no answer takes "not allowed to see" for "not there".
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sidings.api.kueue.configuration import Configuration
from sidings.api.objects import Object, controller_of, name_of, namespace_of, uid_of
from sidings.queue.preemption import Config


@dataclass
class Surroundings:
    """``objects`` by kind; ``logs`` are the last lines of pods that failed, by uid of the pod."""

    now: datetime
    objects: Mapping[str, list[Object]]
    unreadable: frozenset[str] = frozenset()
    """Kinds that the user may not list, or that the cluster does not serve."""
    logs: Mapping[str, list[str]] = field(default_factory=dict)
    options: str = ""
    """What a command must repeat to reach the same server: `` --context NAME``."""
    configuration: Configuration = field(default_factory=Configuration)
    """Kueue's; its defaults where its ConfigMap cannot be read."""

    kueue_version: str = "v1beta2"
    """In which objects of Kueue are to be made."""

    @property
    def preemption(self) -> Config:
        """What of the configuration decides among workloads."""
        sharing = self.configuration.fair_sharing
        return Config(sharing.enabled, sharing.strategies)

    def of_kind(self, kind: str) -> list[Object]:
        return list(self.objects.get(kind) or ())

    def find(self, kind: str, name: str, namespace: str = "") -> Object | None:
        """One object by its name; ``namespace`` is empty for kinds that have none."""
        return next((o for o in self.of_kind(kind) if name_of(o) == name and namespace_of(o) == namespace), None)

    def knows(self, kind: str) -> bool:
        """Whether an object of ``kind`` that is not here does not exist."""
        return kind not in self.unreadable

    def workload_of(self, owners: Iterable[Object]) -> Object | None:
        """The Workload of one of ``owners``, the newest where there are several."""
        uids = {uid_of(owner) for owner in owners}
        found = [w for w in self.of_kind("Workload") if str((controller_of(w) or {}).get("uid")) in uids]
        return max(found, key=lambda w: str(w["metadata"].get("creationTimestamp")), default=None)

    def kubectl(self, *words: str) -> str:
        """A kubectl command against the same server, quoted for a shell."""
        return f"kubectl{self.options} {shlex.join(words)}"

    def sidings(self, verb: str, *words: str) -> str:
        return f"sidings {verb} {shlex.join(words)}{self.options}"
