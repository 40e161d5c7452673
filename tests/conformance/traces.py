"""Recordings of the real control plane, and the comparison of a run with one.

A trace is a list of steps (requests, acts of a scripted kubelet, waits) with the server's answers, and snapshots of the
namespace after each ``settle``. Differences that are meant are rules in ``differences.yaml``: a kind, a path and the
reason why; never the name of a recording.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from sidings.api import feature_gates
from sidings.api.feature_gates import FeatureGates
from sidings.api.objects import Object

RETRIED = ("TrainJobResourcesCreationFailed", "JobCreationFailed")
_SHOWN = re.compile(r'(?<=Invalid value: )([{\[].*?[}\]]|"\{.*\}"): (?![\[{"])')
_DIFF = "\n@@ "
"""Where a field error goes on with what has changed in a Go struct."""
_DIFFERING = re.compile(
    r"/(?P<where>steps|snaps)\[(?P<number>\d+)\]/(result|objects/(?P<kind>\w+)(\[\d+\]|#len))(/(?P<path>.*))?"
)
_GATES_ON = re.compile(r"gates ([\w,]+)=true")
_GZIP = b"\x1f\x8b"
RULES = Path(__file__).with_name("differences.yaml")


class Difference(NamedTuple):
    """``where`` is ``Job status.active`` and the like: a kind, a space, a path."""

    step: int
    where: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        return f"step {self.step}: {self.where}: expected {_short(self.expected)}, got {_short(self.actual)}"


@dataclass(frozen=True)
class Rule:
    """Differences at paths that match ``path`` of objects of ``kind`` are meant, because of ``reason``."""

    kind: str
    path: re.Pattern[str]
    reason: str
    skip: bool = False
    """What differs changes the course of everything after it, so traces that show it are not played at all."""
    beside: re.Pattern[str] | None = None
    """The rule holds only in traces that show such an event."""
    values: re.Pattern[str] | None = None
    """The rule holds only for what turned from one value into the other: ``recorded -> ours``, both as JSON."""

    def covers(self, difference: Difference) -> bool:
        kind, _, path = difference.where.partition(" ")
        if re.fullmatch(self.kind, kind) is None or self.path.fullmatch(path) is None:
            return False
        values = f"{_json(difference.expected)} -> {_json(difference.actual)}"
        return self.values is None or self.values.fullmatch(values) is not None

    def holds_in(self, trace: Object | None) -> bool:
        if self.beside is None:
            return True
        shown = [_event_key(event) for snapshot in (trace or {}).get("snapshots") or () for event in snapshot["events"]]
        return any(map(self.beside.fullmatch, shown))


def read(path: Path) -> Any:
    """A file of recordings (JSON, gzipped or not): a list of traces, or an object with cases of an API or kubectl."""
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if data.startswith(_GZIP) else data)


def load(path: Path) -> list[Object]:
    """The traces of one file."""
    traces: list[Object] = read(path)
    return traces


def gates_of(trace: Object) -> FeatureGates:
    """The feature gates that were on when ``trace`` was recorded, as its source says."""
    found = _GATES_ON.search(trace["source_versions"].get("jobset") or "")
    return feature_gates.parse("=true,".join([*found[1].split(","), ""])) if found else feature_gates.NONE


def repeatable(trace: Object, differences: Iterable[Difference]) -> list[Difference]:
    """``differences`` without those where upstream differed from itself: it was recorded twice."""
    repeat = trace.get("repeat") or {}
    varying = [_Varying.of(trace, path) for path in repeat.get("differing_paths") or ()]
    loose_events = repeat.get("events_identical") is False
    return [
        each
        for each in differences
        if not any(path.covers(each) for path in varying) and not (loose_events and each.where.startswith("Event "))
    ]


class _Varying(NamedTuple):
    """One path of ``repeat.differing_paths``: ``/snaps[0]/objects/Job[0]/metadata/generation``, for one."""

    step: int
    kind: str
    path: str

    @staticmethod
    def of(trace: Object, text: str) -> _Varying:
        found = _DIFFERING.fullmatch(text)
        if found is None:
            raise ValueError(f"unknown form of a differing path: {text}")
        where, number, kind, path = found["where"], int(found["number"]), found["kind"] or "", found["path"] or ""
        step = number if where == "steps" else trace["snapshots"][number]["after_step"]
        return _Varying(step, kind, path.replace("/", "."))

    def covers(self, difference: Difference) -> bool:
        kind, _, path = difference.where.partition(" ")
        right_kind = kind == self.kind if self.kind else kind.startswith("Answer:")
        return difference.step == self.step and right_kind and path.startswith(self.path)


def load_rules(path: Path = RULES) -> list[Rule]:
    return [
        Rule(
            rule["kind"],
            re.compile(rule["path"]),
            rule["reason"],
            bool(rule.get("skip")),
            re.compile(rule["beside"]) if "beside" in rule else None,
            re.compile(rule["values"]) if "values" in rule else None,
        )
        for rule in yaml.safe_load(path.read_text()) or ()
    ]


def unexplained(differences: Iterable[Difference], rules: list[Rule], trace: Object | None = None) -> list[Difference]:
    """What no rule covers; ``trace`` is where the differences were found, if it was a trace."""
    holding = [rule for rule in rules if rule.holds_in(trace)]
    return [difference for difference in differences if not any(rule.covers(difference) for rule in holding)]


def unplayable(trace: Object, rules: list[Rule]) -> str:
    """Why a trace makes no sense here; ``""`` if it does."""
    nothing: Object = {"objects": {}, "events": []}
    shown = [difference for snapshot in trace["snapshots"] for difference in compare_snapshots(0, snapshot, nothing)]
    return next((rule.reason for rule in rules if rule.skip and any(map(rule.covers, shown))), "")


def compare_snapshots(step: int, expected: Object, actual: Object) -> Iterator[Difference]:
    """Objects by kind and name, events as a multiset."""
    for kind in sorted({*expected["objects"], *actual["objects"]}):
        wanted = {obj["metadata"]["name"]: obj for obj in expected["objects"].get(kind, ())}
        found = {obj["metadata"]["name"]: obj for obj in actual["objects"].get(kind, ())}
        for name in sorted({*wanted, *found}):
            if name not in found or name not in wanted:
                yield Difference(step, f"{kind} {name}", name in wanted, name in found)
            else:
                yield from compare(step, kind, "", _sorted_conditions(wanted[name]), found[name])
    wanted_events = {_event_key(event): event["count"] for event in expected["events"]}
    found_events = {_event_key(event): event["count"] for event in actual["events"]}
    for key in sorted({*wanted_events, *found_events}):
        if key in wanted_events and key in found_events and _is_retried(key):
            continue
        if wanted_events.get(key) != found_events.get(key):
            yield Difference(step, f"Event {key}", wanted_events.get(key), found_events.get(key))


def compare(step: int, kind: str, path: str, expected: Any, actual: Any) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted({*expected, *actual}):
            below = f"{path}.{key}" if path else key
            if expected.get(key) is None and actual.get(key) is None:
                continue
            if key == "conditions":
                yield from _compare_conditions(step, kind, below, expected.get(key) or [], actual.get(key) or [])
            elif key not in expected or key not in actual:
                yield Difference(step, f"{kind} {below}", expected.get(key), actual.get(key))
            else:
                yield from compare(step, kind, below, expected[key], actual[key])
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            yield from compare(step, kind, f"{path}[{index}]", left, right)
    elif expected != actual:
        # How Go shows an object in an error depends on its types; everything else of the text must be the same.
        texts = isinstance(expected, str) and isinstance(actual, str)
        shown = " (value)" if texts and bare(expected) == bare(actual) else ""
        shown = " (diff)" if texts and expected.partition(_DIFF)[0] == actual else shown
        yield Difference(step, f"{kind} {path}{shown}", expected, actual)


def _compare_conditions(step: int, kind: str, path: str, expected: Any, actual: Any) -> Iterator[Difference]:
    """By place where both have the same types, else by type, so that one that is missing moves no other."""
    try:
        wanted, found = [{entry["type"]: entry for entry in side} for side in (expected, actual)]
    except (KeyError, TypeError):
        wanted, found = {}, {}
    if wanted.keys() == found.keys():
        yield from compare(step, kind, path, expected, actual)
        return
    for type_ in sorted({*wanted, *found}):
        below = f"{path}[{type_}]"
        if type_ in wanted and type_ in found:
            yield from compare(step, kind, below, wanted[type_], found[type_])
        else:
            yield Difference(step, f"{kind} {below}", wanted.get(type_), found.get(type_))


def bare(message: str) -> str:
    """A field error's text without the objects and lists that it shows."""
    return _SHOWN.sub("<value>: ", message)


def _sorted_conditions(obj: Object) -> Object:
    conditions = (obj.get("status") or {}).get("conditions")
    if obj["kind"] == "Pod" and conditions:
        ordered = sorted(conditions, key=lambda condition: str(condition["type"]))
        return {**obj, "status": {**obj["status"], "conditions": ordered}}
    return obj


def _event_key(event: Object) -> str:
    return " ".join(str(event.get(field) or "-") for field in ("involved", "type", "reason", "reporter", "message"))


def _is_retried(key: str) -> bool:
    """Events of a step that is tried again and again: their number depends on the back-off, in recordings as well."""
    return any(f" {reason} " in key for reason in RETRIED)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _short(value: Any) -> str:
    text = _json(value)
    return text if len(text) <= 400 else text[:400] + "..."
