"""The names of CustomResourceDefinitions, against all others of their group.

Upstream a controller judges them some time after the write. Here the write itself does, so that a definition is served,
or says why not, from the moment it is acknowledged; and of two that come at once only one gets the name. A definition
that waits for a name is written again by ``controllers/custom_resources`` when others have changed.
"""

from __future__ import annotations

from sidings.api import catalog, timestamps
from sidings.api.definition import accepted_names, versions
from sidings.api.resources import CRDS
from sidings.clock import Clock
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request


class DefinitionNames(Plugin):
    """Sets the status of a definition whenever its spec may have changed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def admit(self, request: Request, reader: Reader) -> None:
        if not request.concerns(CRDS, Operation.CREATE, Operation.UPDATE):
            return
        definition, before = request.new, request.old or {}
        others = accepted_names.taken(
            str(definition["spec"].get("group")), request.name, reader.list(CRDS), catalog.builtin()
        )
        status = before.get("status") or {}
        judged = accepted_names.judge({**definition, "status": status}, others, timestamps.to_text(self._clock.now()))
        judged["storedVersions"] = versions.stored_versions(definition, status.get("storedVersions") or ())
        definition["status"] = judged
