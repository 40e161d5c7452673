"""What is different in an answer from the recorded one, after both were brought into one form.

Answers were recorded in three forms: whole, as a summary of a list, as the lines of a watch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sidings.api.objects import Object
from sidings.server.paths import GroupPath, ResourcePath, parse
from tests.conformance.answer_names import Names
from tests.conformance.normalising import without_job_keys
from tests.conformance.senders import Answer
from tests.conformance.traces import Difference, compare

_AGE = re.compile(r"\d+[smhd](\d+[smh])?")
_NAMES_SHOWN = 10
_DISCOVERY = ("APIResourceList", "APIGroupDiscoveryList", "APIGroupList")
_COMPARED_HEADERS = {"Content-Type": "content-type", "Warning": "warning", "Retry-After": "retry-after"}


def differences(names: Names, case: Object, answer: Answer) -> Iterator[Difference]:
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


def _comparable(names: Names, expected: Any, found: Any, prefix: str = "") -> tuple[Any, Any]:
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
