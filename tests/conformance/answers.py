"""Playing recorded API requests and comparing what is answered.

Every request is sent, in the recorded order, because later ones need what earlier ones made; only cases with a recorded
response are compared, and only those about resources that the server serves. Bodies hold uids, resource versions and
continue tokens of the recorded run: those of the same object in this run take their place. Answers were recorded in
three forms (whole, as a summary of a list, as the lines of a watch), and ours is brought into the same.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from sidings.api.objects import Object
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.server.paths import GroupPath, ResourcePath, parse
from tests.conformance.normalising import without_job_keys
from tests.conformance.scripted_kubelet import ScriptedKubelet
from tests.conformance.senders import Answer, Sender
from tests.conformance.traces import Difference, compare

BETWEEN_REQUESTS = 1 / 512
"""Seconds. The recorded requests followed each other closely: controllers were seldom through with the one before."""
WATCH_OPENS = 0.7
"""Seconds until another connection begins what a fixture says happens during a watch."""
YOUNGEST_RECORDED_VERSION = 1000
"""Smaller resource versions in requests are meant as they stand: long gone in any server."""
FOREVER = "999999999"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_UID = re.compile(r"<uid[^>]*>|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_YAML_VERSION = re.compile(r'(?<=resourceVersion: )"\d+"')
_VERSIONS = re.compile(r"(?<=too old resource version: )\d+ \(\d+\)|(?<=current: )\d+|(?<=in record )\(\d+\)")
_EVENT = re.compile(r"\.[0-9a-f]{16}\b")
"""What makes the name of an event unique."""
_AGE = re.compile(r"\d+[smhd](\d+[smh])?")
_USER_AGENT = "gold/v0"
"""Who the recorded requests were by; it becomes the manager of fields."""
_LONGEST_PREFIX = 58
_GENERATED_LENGTH = 5
_BUMP = "bump"
"""The label by which the recorder made a version stale, unrecorded, before it used that version."""
_NAMES_SHOWN = 10
_HASH = re.compile(r"(?<=\?hash=)[0-9A-F]+")
_DISCOVERY = ("APIResourceList", "APIGroupDiscoveryList", "APIGroupList")
_COMPARED_HEADERS = {"Content-Type": "content-type", "Warning": "warning", "Retry-After": "retry-after"}


class Answers:
    """One recording of API answers against one server."""

    def __init__(self, sender: Sender, client: Client, clock: Clock, recording: Object) -> None:
        self._send = sender
        self._clock = clock
        self._recording = recording
        self._names = _Names()
        self._kubelet = ScriptedKubelet(client, clock, _namespace(recording))
        self._served: dict[tuple[str, str], frozenset[str]] = {}

    async def play(self, report: Callable[[str, list[Difference]], None]) -> None:
        """Send everything; ``report`` is told the name and the differences of every case that counts."""
        fixtures: dict[tuple[str, str], list[Object]] = {}
        for fixture in self._recording["fixtures"]:
            for when in ("before", "during"):
                if when in fixture:
                    fixtures[when, fixture[when]] = fixture["do"]
        for number, case in enumerate(self._recording["cases"]):
            await self._make_stale(number, case["request"])
            for step in fixtures.get(("before", case["case"]), ()):
                await self._prepare(step)
            during = asyncio.create_task(self._meanwhile(fixtures.get(("during", case["case"]), ())))
            before = await self._version_of(case) if "rvUnchanged" in case else None
            answer = await self._request(case["request"])
            await during
            self._names.learn(answer, case.get("response"))
            await self._clock.sleep(BETWEEN_REQUESTS)
            if "response" not in case or not await self._is_served(case):
                continue
            differences = list(_differences(self._names, case, answer))
            if before is not None and before != await self._version_of(case):
                differences.append(Difference(0, "Answer resourceVersion", "unchanged", "changed"))
            report(case["case"], differences)

    async def _prepare(self, step: Object) -> None:
        if "method" in step:
            self._names.learn(await self._request(step), None)
            await self._clock.sleep(BETWEEN_REQUESTS)
        elif "scripted kubelet" in step["note"]:
            await self._kubelet.act("l0", "ready", {})
            await self._kubelet.act("l1", "running", {})
            await self._kubelet.act("l1", "fail", {"exitCode": 3})

    async def _make_stale(self, number: int, request: Object) -> None:
        """What the recorder did before a PUT of an old version; later bodies show the label that it has changed."""
        if request["method"] != "PUT" or _BUMP in _labels(request):
            return
        later = (case["request"] for case in self._recording["cases"][number + 1 :])
        bumped = next(
            (r for r in later if (r["method"], r["path"]) == ("PUT", request["path"]) and _BUMP in _labels(r)), None
        )
        if bumped is None or "resourceVersion" not in request["body"]["metadata"]:
            return
        self._names.query(
            "resourceVersion", request["body"]["metadata"]["resourceVersion"], await self._current(request)
        )
        body = {"metadata": {"labels": {_BUMP: _labels(bumped)[_BUMP]}}}
        merge = "application/merge-patch+json"
        await self._request({"method": "PATCH", "path": request["path"], "contentType": merge, "body": body})

    async def _meanwhile(self, steps: list[Object] | tuple[()]) -> None:
        if not steps:
            return
        await self._clock.sleep(WATCH_OPENS)
        for step in steps:
            if "method" in step:
                await self._request(step)
                await self._clock.sleep(BETWEEN_REQUESTS)

    async def _request(self, request: Object) -> Answer:
        body = request.get("body")
        path = self._names.of_this_run(request["path"])
        current = await self._current(request)
        query = {
            key: self._names.query(key, str(value), current) for key, value in (request.get("query") or {}).items()
        }
        headers = {"User-Agent": _USER_AGENT}
        if "accept" in request:
            headers["Accept"] = request["accept"]
        if "contentType" in request:
            headers["Content-Type"] = request["contentType"]
        elif isinstance(body, dict | list):
            headers["Content-Type"] = "application/json"
        raw = b""
        if isinstance(body, str):
            raw = body.encode()
        elif body is not None:
            raw = json.dumps(self._names.body(body, current)).encode()
        who = request["headers"].get("Authorization", "") if "headers" in request else None
        return await self._send(request["method"], path, urlencode(query), headers, raw, who)

    async def _get(self, path: str) -> Object:
        answer = await self._send("GET", path, "", {"Accept": "application/json"}, b"", None)
        found: Object = json.loads(answer.body) if answer.code == 200 else {}
        return found

    async def _current(self, request: Object) -> Mapping[str, str]:
        """uid and resourceVersion of what the request is about, where it names any."""
        needed = json.dumps([request.get("body"), request.get("query")])
        if "resourceVersion" not in needed and '"uid"' not in needed:
            return {}
        target = parse(request["path"])
        path = self._names.of_this_run(request["path"])
        if isinstance(target, ResourcePath) and target.subresource:
            path = path.rsplit("/", 1)[0]
        metadata: Mapping[str, str] = (await self._get(path)).get("metadata") or {}
        return metadata

    async def _version_of(self, case: Object) -> str:
        path = self._names.of_this_run(case["request"]["path"])
        return str(((await self._get(path)).get("metadata") or {}).get("resourceVersion"))

    async def _is_served(self, case: Object) -> bool:
        """Whether the server has what the request is about; what the recorded one lacked as well counts."""
        target = parse(case["request"]["path"])
        if not isinstance(target, ResourcePath) or case["response"]["code"] == 404:
            return True
        version = (target.group, target.version)
        if version not in self._served:
            root = f"/apis/{target.group}/{target.version}" if target.group else f"/api/{target.version}"
            listed = (await self._get(root)).get("resources") or ()
            self._served[version] = frozenset(r["name"] for r in listed if r["verbs"] != ["list"])
        return target.plural in self._served[version]


class _Names:
    """What this run calls what the recording calls otherwise."""

    def __init__(self) -> None:
        self._generated: dict[str, str] = {}
        """name here -> name in the recording."""
        self._counts: dict[str, int] = {}
        self._versions: dict[str, str] = {}
        self._token = ""

    def learn(self, answer: Answer, recorded: Object | None) -> None:
        try:
            body = json.loads(answer.body)
        except ValueError:
            return
        metadata = body.get("metadata") if isinstance(body, dict) else None
        if not isinstance(metadata, dict):
            return
        prefix, name = metadata.get("generateName"), metadata.get("name")
        if prefix and name and name not in self._generated and name[:-_GENERATED_LENGTH] == prefix[:_LONGEST_PREFIX]:
            prefix = prefix[:_LONGEST_PREFIX]
            number = self._counts[prefix] = self._counts.get(prefix, 0) + 1
            self._generated[name] = f"{metadata['generateName']}r{number}"
        self._token = metadata.get("continue") or self._token
        recorded_body = (recorded or {}).get("body")
        if isinstance(recorded_body, dict):
            version = (recorded_body.get("metadata") or {}).get("resourceVersion")
            if version and metadata.get("resourceVersion"):
                self._versions[version] = metadata["resourceVersion"]

    def of_this_run(self, text: str) -> str:
        for here, recorded in self._generated.items():
            text = text.replace(recorded, here)
        return text

    def query(self, key: str, value: str, current: Mapping[str, str]) -> str:
        if key == "continue" and value.startswith("ey"):
            return self._token
        return self._version(value, current) if key == "resourceVersion" else value

    def body(self, value: Any, current: Mapping[str, str]) -> Any:
        """``value`` with this run's uid and resourceVersion in its metadata and preconditions."""
        if isinstance(value, list):
            return [self.body(item, current) for item in value]
        if not isinstance(value, dict):
            return value
        changed = {key: self.body(item, current) for key, item in value.items()}
        for holder in ("metadata", "preconditions"):
            named = changed.get(holder)
            if isinstance(named, dict):
                if isinstance(named.get("resourceVersion"), str):
                    named["resourceVersion"] = self._version(named["resourceVersion"], current)
                if _UID.fullmatch(str(named.get("uid"))) and not str(named["uid"]).startswith("00000000"):
                    named["uid"] = current.get("uid", named["uid"])
        return changed

    def _version(self, recorded: str, current: Mapping[str, str]) -> str:
        if not recorded.isdigit() or int(recorded) < YOUNGEST_RECORDED_VERSION or recorded == FOREVER:
            return recorded
        # A version that was not seen in an answer is that of the object when it is first named.
        return self._versions.setdefault(recorded, current.get("resourceVersion", recorded))

    def normalised(self, value: Any) -> Any:
        """``value`` with times, uids and generated names as the recording has them."""
        if isinstance(value, dict):
            return {key: self.normalised(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.normalised(item) for item in value]
        if not isinstance(value, str):
            return value
        for here, recorded in self._generated.items():
            value = value.replace(here, recorded)
        value = _YAML_VERSION.sub('"<rv>"', _TIME.sub("<time>", _UID.sub("<uid>", _HASH.sub("<hash>", value))))
        return _EVENT.sub(".<event>", _VERSIONS.sub("<rv>", value))


def _labels(request: Object) -> Mapping[str, str]:
    body = request.get("body")
    labels: Mapping[str, str] = ((body.get("metadata") or {}).get("labels") or {}) if isinstance(body, dict) else {}
    return labels


def _namespace(recording: Object) -> str:
    """The namespace of its own that the recording begins with."""
    steps = [step for fixture in recording["fixtures"] for step in fixture["do"]]
    made = next(step for step in steps if str(step.get("path")) == "/api/v1/namespaces")
    return str(made["body"]["metadata"]["name"])


def _differences(names: _Names, case: Object, answer: Answer) -> Iterator[Difference]:
    expected: Object = case["response"]
    kind = f"Answer:{_kind(case)}"
    if expected["code"] != answer.code:
        yield Difference(0, f"{kind} code", expected["code"], answer.code)
    for name, value in expected["headers"].items():
        if (found := answer.headers.get(_COMPARED_HEADERS[name], "").replace("\n", ", ")) != value:
            yield Difference(0, f"{kind} {name}", value, found)
    if "Warning" not in expected["headers"] and "warning" in answer.headers:
        yield Difference(0, f"{kind} Warning", None, answer.headers["warning"])
    if "events" in expected:
        found_events = [json.loads(line) for line in answer.body.splitlines() if line]
        yield from compare(0, kind, "events", *_comparable(names, expected["events"], found_events))
        return
    try:
        body = json.loads(answer.body)
    except ValueError:
        body = answer.body.decode()
    wanted = expected["body"]
    if isinstance(wanted, dict) and isinstance(body, dict) and str(wanted.get("kind")) in _DISCOVERY:
        wanted, body = _shared_resources(wanted, body), _shared_resources(body, wanted)
    if _is_index(wanted) and _is_index(body):
        wanted, body = (
            {path: each["paths"][path] for path in wanted["paths"].keys() & body["paths"]} for each in (wanted, body)
        )
    if _is_cluster_wide(case):
        wanted, body = _shared_objects(wanted, body)
    yield from compare(0, kind, "", *_comparable(names, wanted, _as_recorded(wanted, body), _prefix(case)))


def _is_index(body: Any) -> bool:
    """Whether this is ``/openapi/v3``, which names a document for each group and version."""
    paths = body.get("paths") if isinstance(body, dict) else None
    return isinstance(paths, dict) and all("serverRelativeURL" in document for document in paths.values())


def _prefix(case: Object) -> str:
    """The ``generateName`` of what was sent."""
    body = case["request"].get("body")
    return str((body.get("metadata") or {}).get("generateName") or "") if isinstance(body, dict) else ""


def _shared_resources(document: Any, other: Any) -> Any:
    """A document of discovery with the groups and resources that the other one has as well, sorted."""
    document = {key: value for key, value in document.items() if key != "allGroups"}
    for field in ("resources", "groups"):
        if field in document:
            return {**document, field: _shared_by("name", document[field], other[field])}
    groups = {item["metadata"].get("name"): item for item in other["items"]}
    items = []
    for item in document["items"]:
        partner = groups.get(item["metadata"].get("name"))
        if partner is not None and [v["version"] for v in item["versions"]] == [
            v["version"] for v in partner["versions"]
        ]:
            pairs = zip(item["versions"], partner["versions"], strict=True)
            versions = [{**v, "resources": _shared_by("resource", v["resources"], p["resources"])} for v, p in pairs]
            items.append({**item, "versions": versions})
    return {**document, "items": sorted(items, key=lambda item: str(item["metadata"].get("name")))}


def _shared_by(key: str, entries: list[Object], others: list[Object]) -> list[Object]:
    # What can only be listed here is named for clients that look for it, not served.
    named = {entry[key] for entry in (*entries, *others) if entry.get("verbs") == ["list"]}
    known = {entry[key] for entry in others} - named
    return sorted((entry for entry in entries if entry[key] in known), key=lambda entry: str(entry[key]))


def _is_cluster_wide(case: Object) -> bool:
    """Whether this lists objects of the whole cluster, of which the recorded one had others."""
    target = parse(case["request"]["path"])
    return isinstance(target, ResourcePath) and not target.namespace and not target.name


def _shared_objects(expected: Any, found: Any) -> tuple[Any, Any]:
    """Both without the objects that only one of them has, and without their number."""

    def named(item: Object) -> str:
        return str((item.get("object") or item)["metadata"]["name"])

    for field in ("items", "rows"):
        if isinstance(expected, dict) and isinstance(found, dict) and field in expected and field in found:
            shared = {named(item) for item in expected[field]} & {named(item) for item in found[field]}
            expected, found = (
                {**each, "metadata": {}, field: [item for item in each[field] if named(item) in shared]}
                for each in (expected, found)
            )
    if "names" in (expected or ()) and "items" in (found or ()):
        shared = {named(item) for item in found["items"]} & set(expected["names"])
        expected = {**expected, "names": [name for name in expected["names"] if name in shared]}
        found = {**found, "items": [item for item in found["items"] if named(item) in shared]}
    return expected, found


def _kind(case: Object) -> str:
    target = parse(case["request"]["path"])
    if isinstance(target, ResourcePath):
        return "/".join(part for part in (target.plural, target.subresource) if part)
    return "discovery" if isinstance(target, GroupPath) or "openapi" not in case["request"]["path"] else "openapi"


def _comparable(names: _Names, expected: Any, found: Any, prefix: str = "") -> tuple[Any, Any]:
    """Both with the same words for what differs from run to run; ``prefix``: of a name generated in this case."""
    both = (_without_unrecorded(expected, expected), _without_unrecorded(found, expected))
    made = [without_job_keys(names.normalised(_without_ages(each))) for each in both]
    if prefix:
        pattern = re.compile(re.escape(prefix) + r"[a-z0-9]{5}\b")
        made = [json.loads(pattern.sub(f"{prefix}<generated>", json.dumps(each))) for each in made]
    return made[0], made[1]


def _without_ages(value: Any) -> Any:
    """A table with ``<age>`` in the place of each age."""
    if not isinstance(value, dict) or "rows" not in value:
        return value
    return {**value, "rows": [{**row, "cells": [_ageless(cell) for cell in row["cells"]]} for row in value["rows"]]}


def _ageless(cell: Any) -> Any:
    return "<age>" if isinstance(cell, str) and _AGE.fullmatch(cell) else cell


def _without_unrecorded(value: Any, expected: Any) -> Any:
    """``value`` without what a server counts for itself, unless the recording shows it; then only that it is there."""
    if isinstance(value, list):
        pairs = [*expected, *[None] * len(value)] if isinstance(expected, list) else [None] * len(value)
        return [_without_unrecorded(item, pair) for item, pair in zip(value, pairs, strict=False)]
    if not isinstance(value, dict):
        return value
    shown = expected if isinstance(expected, dict) else {}
    result = {}
    for key, item in value.items():
        if key in ("resourceVersion", "managedFields") and key not in shown:
            continue
        if key == "resourceVersion" or (key == "continue" and item):
            result[key] = "<given>"
        else:
            result[key] = _without_unrecorded(item, shown.get(key))
    return result


def _as_recorded(expected: Any, body: Any) -> Any:
    """``body`` in the form in which the recording keeps such an answer."""
    if not isinstance(expected, dict) or not isinstance(body, dict):
        return body
    items = body.get("items")
    if "names" in expected and items is not None:
        return {"kind": body["kind"], "names": [item["metadata"]["name"] for item in items][:_NAMES_SHOWN]}
    if "n" in expected and items is not None:
        summary = {"kind": body["kind"], "apiVersion": body["apiVersion"], "n": len(items)}
        if "itemKeys" in expected:
            summary["itemKeys"] = sorted({key for item in items for key in item}) or None
            summary["metadata"] = body["metadata"]
        return summary
    if "firstPathSample" in expected:
        return {
            "openapi": body.get("openapi"),
            "top": sorted(body),
            "info": body.get("info"),
            "paths": sorted(body.get("paths") or ()),
            "schemas": sorted((body.get("components") or {}).get("schemas") or ()),
        }
    return body
