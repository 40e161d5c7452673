"""Every object that a real API server answered with is a fixed point of ours: nothing unknown, nothing to add or mend.

A developer's check against recordings that are not part of the repository: SIDINGS_TRACES names their folder.
"""

import gzip
import json
import os
from pathlib import Path

import pytest

from sidings.api import catalog, structural
from sidings.api.objects import copy_of

TRACES = os.environ.get("SIDINGS_TRACES", "")

pytestmark = pytest.mark.skipif(not TRACES, reason="SIDINGS_TRACES is not set")


def objects_in(value):
    if isinstance(value, dict):
        if {"apiVersion", "kind", "metadata"} <= set(value) and "name" in value["metadata"]:
            yield value
        for below in value.values():
            yield from objects_in(below)
    elif isinstance(value, list):
        for below in value:
            yield from objects_in(below)


def answers_in(recording):
    """What the server said: answers to steps or cases, and snapshots."""
    if isinstance(recording, dict):
        for case in recording["cases"]:
            response = case.get("response") or {}
            if response.get("code") in (200, 201):
                yield response.get("body")
        return
    for trace in recording:
        yield from (step["result"].get("object") for step in trace["steps"] if isinstance(step.get("result"), dict))
        yield from (snapshot["objects"] for snapshot in trace["snapshots"])


def complaints(obj):
    kind = catalog.builtin().by_api_version(obj["apiVersion"], obj["kind"])
    if kind is None:
        return []
    decoded = structural.decode(kind.schema, obj, builtin=kind.builtin)
    # Times, uids and secrets are written as <...> in recordings.
    found = [*decoded.unknown, *([decoded.error] if decoded.error and "<" not in json.dumps(obj) else [])]
    completed = copy_of(decoded.object)
    if not kind.builtin:
        structural.default(kind.schema, completed)
        found += [str(error) for error in structural.validate(kind.schema, completed) if "date-time" not in error.text]
    kind.rules.default(completed)
    if kind.resource.kind != "Secret":
        found += [str(error) for error in kind.rules.validate(completed) if "<" not in error.text]
    found += [f"added {field}" for field in completed if completed[field] != decoded.object.get(field)]
    return found


@pytest.mark.parametrize("name", ["api", "job", "jobset", "trainjob"])
def test_recorded_objects_are_fixed_points(name):
    recording = json.loads(gzip.decompress((Path(TRACES) / f"{name}.json.gz").read_bytes()))
    objects = [obj for answer in answers_in(recording) for obj in objects_in(answer)]
    assert len(objects) > 100
    found = {f"{obj['kind']} {obj['metadata']['name']}": complaints(obj) for obj in objects}
    assert {where: texts for where, texts in found.items() if texts} == {}
