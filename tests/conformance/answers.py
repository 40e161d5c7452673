"""Playing recorded API requests and comparing what is answered.

Every request is sent, in the recorded order, because later ones need what earlier ones made; only cases with a recorded
response are compared, and only those about resources that the server serves. Bodies hold uids, resource versions and
continue tokens of the recorded run: those of the same object in this run take their place (``answer_names``). What is
different is told by ``answer_differences``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from sidings.api.objects import Object
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.server.paths import ResourcePath, parse
from tests.conformance import answer_differences
from tests.conformance.answer_names import Names
from tests.conformance.scripted_kubelet import ScriptedKubelet
from tests.conformance.senders import Answer, Sender
from tests.conformance.traces import Difference

BETWEEN_REQUESTS = 1 / 512
"""Seconds. The recorded requests followed each other closely: controllers were seldom through with the one before."""
WATCH_OPENS = 0.7
"""Seconds until another connection begins what a fixture says happens during a watch."""
_USER_AGENT = "gold/v0"
"""Who the recorded requests were by; it becomes the manager of fields."""
_BUMP = "bump"
"""The label by which the recorder made a version stale, unrecorded, before it used that version."""


class Answers:
    """One recording of API answers against one server."""

    def __init__(self, sender: Sender, client: Client, clock: Clock, recording: Object) -> None:
        self._send = sender
        self._clock = clock
        self._recording = recording
        self._names = Names()
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
            found = list(answer_differences.differences(self._names, case, answer))
            if before is not None and before != await self._version_of(case):
                found.append(Difference(0, "Answer resourceVersion", "unchanged", "changed"))
            report(case["case"], found)

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


def _labels(request: Object) -> Mapping[str, str]:
    body = request.get("body")
    labels: Mapping[str, str] = ((body.get("metadata") or {}).get("labels") or {}) if isinstance(body, dict) else {}
    return labels


def _namespace(recording: Object) -> str:
    """The namespace of its own that the recording begins with."""
    steps = [step for fixture in recording["fixtures"] for step in fixture["do"]]
    made = next(step for step in steps if str(step.get("path")) == "/api/v1/namespaces")
    return str(made["body"]["metadata"]["name"])
