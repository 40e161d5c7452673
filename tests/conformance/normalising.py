"""Making two runs comparable: names, uids and times of one run become those of every run.

A uid becomes ``<uid:Kind/name>`` (``#2`` for an object that was made again), a time ``<time>``, the random suffix of
the n-th pod of a Job ``rn``. What a server counts for itself (resource versions, managed fields) is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sidings.api.jobset import labels
from sidings.api.objects import Object, copy_of

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_VERSION = re.compile(r'(?<=resourceVersion: )"\d+"')
"""A resource version inside a text: the frozen runtime in a ConfigMap."""
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_WORKLOAD_HASH = re.compile(r"-[0-9a-f]{5}$")
_WAIT = re.compile(r"(?<=wait time since )(queued|reservation) was \d+s")
_DROPPED = ("resourceVersion", "managedFields")


class Names:
    """What this run calls what the recording calls otherwise; grows as objects appear."""

    def __init__(self) -> None:
        self._pods: dict[str, str] = {}
        self._count: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._made: dict[tuple[str, str], int] = {}
        self.keys_vary = False
        """A JobSet has a generated name, so the hashes that its Jobs get from their names differ from run to run."""

    def learn(self, obj: Object) -> None:
        """Note an object that is new in this run; the order of the calls is the order of creation."""
        metadata, kind = obj["metadata"], obj["kind"]
        name, prefix = metadata["name"], metadata.get("generateName")
        if metadata["uid"] in self._texts:
            return
        if prefix and kind != "Event":
            prefix = str(self.normalised(prefix))
            number = self._count[prefix] = self._count.get(prefix, 0) + 1
            self._pods[name] = f"{prefix}r{number}"
            self._texts[name] = self._pods[name]
            self.keys_vary = self.keys_vary or kind == "JobSet"
        if kind == "Workload" and _WORKLOAD_HASH.search(name):
            self._pods[name] = self._texts[name] = _WORKLOAD_HASH.sub("-<hash>", name)
        shown = str(self.normalised(name))
        made = self._made[kind, shown] = self._made.get((kind, shown), 0) + 1
        suffix = f"#{made}" if made > 1 else ""
        self._texts[metadata["uid"]] = f"<uid:{kind}/{shown}{suffix}>"

    def knows(self, recorded: str) -> bool:
        """Whether this run has an object that the recording calls ``recorded``."""
        return recorded in self._pods.values()

    def real(self, recorded: str) -> str:
        """The name in this run of the pod that the recording calls ``recorded``; KeyError if there is none."""
        for name, shown in self._pods.items():
            if shown == recorded:
                return name
        raise KeyError(recorded)

    def normalised(self, value: Any) -> Any:
        """``value`` as the recording would have it."""
        if isinstance(value, dict):
            return {key: self.normalised(item) for key, item in value.items() if key not in _DROPPED}
        if isinstance(value, list):
            return [self.normalised(item) for item in value]
        if not isinstance(value, str):
            return value
        if value in self._texts:
            return self._texts[value]
        for real in sorted(self._texts, key=len, reverse=True):
            if real in value:
                shown = self._texts[real]
                value = value.replace(real, shown)
        return _VERSION.sub('"<rv>"', _TIME.sub("<time>", value))


def normalised_object(names: Names, obj: Object) -> Object:
    """An object of a snapshot. The conditions of a pod come from several writers, so their order means nothing."""
    result: Object = names.normalised(obj)
    if result["kind"] == "Pod":
        conditions = (result.get("status") or {}).get("conditions")
        if conditions:
            conditions.sort(key=lambda condition: str(condition["type"]))
    if result["kind"] == "Secret":
        result["data"] = dict.fromkeys(result.get("data") or {}, "<bytes>")
    if result["kind"] == "Service" and _ADDRESS.fullmatch(str(result["spec"].get("clusterIP"))):
        result["spec"]["clusterIP"] = "<ip>"
        result["spec"]["clusterIPs"] = ["<ip>"]
    if result["kind"] == "Workload":
        conditions = (result.get("status") or {}).get("conditions") or []
        conditions.sort(key=lambda condition: str(condition["type"]))
    return result


def without_job_keys(value: Any) -> Any:
    """``value`` without the values of job-key labels."""
    if isinstance(value, dict):
        return {key: "<hash>" if key == labels.JOB_KEY else without_job_keys(item) for key, item in value.items()}
    return [without_job_keys(item) for item in value] if isinstance(value, list) else value


def without_durations(snapshot: Any) -> Any:
    """A snapshot without what only tells how fast its run was: seconds that Workloads waited and ran."""
    events: dict[tuple[Any, ...], Object] = {}
    for event in snapshot["events"]:
        event = {**event, "message": _WAIT.sub(r"\1 was <n>s", event.get("message") or "")}
        key = tuple(sorted((name, value) for name, value in event.items() if name != "count"))
        count = event["count"] + (events[key]["count"] if key in events else 0)
        events[key] = {**event, "count": count}
    kinds = {kind: [_without_execution_time(obj) for obj in found] for kind, found in snapshot["objects"].items()}
    return {**snapshot, "events": list(events.values()), "objects": kinds}


def with_sorted_conditions(answer: Any) -> Any:
    """An answer with a Workload whose conditions, which several writers add, are sorted."""
    answer = copy_of(answer)
    conditions = (((answer or {}).get("object") or {}).get("status") or {}).get("conditions") or []
    conditions.sort(key=lambda condition: str(condition["type"]))
    status = ((answer or {}).get("object") or {}).get("status") or {}
    if "accumulatedPastExecutionTimeSeconds" in status:
        status["accumulatedPastExecutionTimeSeconds"] = "<n>"
    return answer


def _without_execution_time(obj: Object) -> Object:
    status = obj.get("status") or {}
    if "accumulatedPastExecutionTimeSeconds" not in status:
        return obj
    return {**obj, "status": {**status, "accumulatedPastExecutionTimeSeconds": "<n>"}}


def normalised_events(names: Names, events: Iterable[Object]) -> list[Object]:
    """All events so far, equal ones added up, without the times."""
    added: dict[tuple[str, ...], int] = {}
    for event in events:
        involved = event["involvedObject"]
        key = (
            event.get("type") or "",
            event.get("reason") or "",
            names.normalised(event.get("message") or ""),
            event.get("action") or "",
            event.get("reportingComponent") or (event.get("source") or {}).get("component") or "",
            f"{involved['kind']}/{names.normalised(involved['name'])}",
        )
        count = event.get("count") or (event.get("series") or {}).get("count") or 1
        added[key] = added.get(key, 0) + int(count)
    fields = ("type", "reason", "message", "action", "reporter", "involved")
    listed = [{**dict(zip(fields, key, strict=True)), "count": count} for key, count in added.items()]
    return [{key: value for key, value in event.items() if value or key != "action"} for event in listed]
