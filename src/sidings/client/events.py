"""Events: what a user reads in ``kubectl describe``.

Two styles, because clients tell them apart: the classic recorder of core controllers counts
repeats in one object (``count``, ``firstTimestamp``, ``lastTimestamp``, ``source.component``); the newer recorder of
JobSet and Trainer writes ``eventTime``, ``reportingController`` and ``action`` and leaves the old fields null.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.api.resources import EVENTS
from sidings.api.status import AlreadyExists, ApiError, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock

MESSAGE_LIMIT = 1024


class EventNote(NamedTuple):
    """An event about ``regarding``; ``type`` is Normal or Warning."""

    regarding: Object
    type: str
    reason: str
    message: str
    action: str = ""


class Recorder:
    """Writes events in the name of one component."""

    def __init__(self, client: Client, clock: Clock, component: str, *, classic: bool = True, host: str = "") -> None:
        self._client = client
        self._clock = clock
        self._component = component
        self._classic = classic
        self._host = host

    async def record(self, note: EventNote) -> None:
        """Write ``note``. An event is advice: one that cannot be written is dropped, never an error of the caller."""
        try:
            await self._write(note)
        except ApiError:
            return

    async def _write(self, note: EventNote) -> None:
        metadata = note.regarding["metadata"]
        namespace = metadata.get("namespace") or "default"
        message = note.message[:MESSAGE_LIMIT]
        now = self._clock.now()
        event: Object = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": self._name(note, message), "namespace": namespace},
            "involvedObject": _reference(note.regarding),
            "reason": note.reason,
            "message": message,
            "type": note.type,
            "reportingComponent": self._component,
            "reportingInstance": self._host,
        }
        if self._classic:
            moment = timestamps.to_text(now)
            event |= {
                "source": {"component": self._component} | ({"host": self._host} if self._host else {}),
                "firstTimestamp": moment,
                "lastTimestamp": moment,
                "count": 1,
                "eventTime": None,
            }
        else:
            event |= {
                "source": {},
                "action": note.action or "Reconciling",
                "eventTime": timestamps.to_micro_text(now),
                "firstTimestamp": None,
                "lastTimestamp": None,
                "reportingInstance": self._host or self._component,
            }
        try:
            await self._client.create(EVENTS, event, namespace=namespace)
        except AlreadyExists:
            await self._count(event, namespace)

    async def _count(self, event: Object, namespace: str) -> None:
        """The same thing happened again: one more on the event that is there."""
        name = event["metadata"]["name"]
        try:
            seen = await self._client.get(EVENTS, name, namespace)
        except NotFound:
            await self._client.create(EVENTS, event, namespace=namespace)
            return
        body: dict[str, Any]
        if self._classic:
            body = {"count": int(seen.get("count") or 1) + 1, "lastTimestamp": event["lastTimestamp"]}
        else:
            count = int((seen.get("series") or {}).get("count") or 1) + 1
            body = {"series": {"count": count, "lastObservedTime": event["eventTime"]}}
        await self._client.patch(EVENTS, name, body, namespace=namespace)

    def _name(self, note: EventNote, message: str) -> str:
        """``<object>.<hash>``, the same for the same fact, so that repeats are counted and a restart adds none."""
        uid = note.regarding["metadata"].get("uid", "")
        facts = "\0".join((uid, note.type, note.reason, message, self._component, self._host))
        digest = hashlib.sha256(facts.encode()).hexdigest()[:16]
        return f"{note.regarding['metadata']['name']}.{digest}"


def _reference(obj: Object) -> Object:
    metadata = obj["metadata"]
    reference = {
        "kind": obj["kind"],
        "namespace": metadata.get("namespace"),
        "name": metadata["name"],
        "uid": metadata.get("uid"),
        "apiVersion": obj["apiVersion"],
        "resourceVersion": metadata.get("resourceVersion"),
    }
    return {key: value for key, value in reference.items() if value}
