"""Playing recorded kubectl commands with the real kubectl, and comparing what it prints.

The outputs are compared but for names that were made up, ages and times; lines of a table in any order, because that
follows the made-up names. Between the commands that make objects and those that look at them, the recorder's scripted
kubelet gave the pods the states that the first ``get pods`` shows.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sidings.api.objects import Object, is_deleting
from sidings.api.resources import NAMESPACES, NODES, PODS
from sidings.api.status import Conflict, NotFound
from sidings.client.http import HttpClient
from sidings.client.interface import PatchType
from sidings.client.kubeconfig import load
from sidings.clock import SystemClock
from tests.conformance.scripted_kubelet import ScriptedKubelet
from tests.conformance.tally import Tally
from tests.conformance.traces import Difference, bare
from tests.conformance.world import make_nodes

KUBECTL = Path(sysconfig.get_path("scripts")) / "kubectl"
"""The one of this environment, because every version words some things otherwise."""
COMMAND_SECONDS = 90
SETTLE_SECONDS = 20
LEAVING_SECONDS = 60
STATES = {"Completed": "succeed", "Error": "fail"}
CAPACITY = {"cpu": "64", "memory": "256Gi", "nvidia.com/gpu": "8", "pods": "250"}
_MADE_UP = re.compile(r"\b((?:j|kj|js|tj)(?:-[a-z]+)*(?:-\d+)*)-[a-z0-9]{5}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}|<time>")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|<uid>")
_HASH = re.compile(r"\b[0-9a-f]{40}\b")
_VERSION = re.compile(r'([rR]esource ?Version"?: +)"?\d+"?')
_LOG = re.compile(r"[IWE]\d{4} \d\d:\d\d:\d\d")
"""A line of kubectl's own log: how its watch fared is no answer to anybody."""
_SERVER = re.compile(r"(Server Version: v[\d.]+)\S*")
_AGE = re.compile(r"(?<![\w.-])(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?<=[dhms])(?: ago\b)?(?![\w-])")


async def play(recording: Object, kubeconfig: Path | None, tally: Tally) -> None:
    """Run every command in order and note what differs; needs a server, because kubectl is another process."""
    if kubeconfig is None:
        for case in recording["cases"]:
            tally.skip(_title(case), "kubectl needs a server: give --kubeconfig")
        return
    with _home() as home:
        async with HttpClient(load([kubeconfig], must_exist=True)) as client:
            namespace = _namespace(recording)
            await _leave(client, namespace)
            await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
            await make_nodes(client)
            await _make_nodes_ready(client)
            session = _Session(client, kubeconfig, home, namespace)
            for case in recording["cases"]:
                if case["args"] == ["get", "pods"] and not session.names:
                    await session.play_kubelet(case["stdout"])
                differences = list(_compare(namespace, case, *await session.run(case)))
                if tally.wants(_title(case)):
                    tally.note(_title(case), differences)
            await _leave(client, namespace)


def _namespace(recording: Object) -> str:
    """As the recorded arguments call it, the last of which delete it; outputs have it as ``kc``."""
    arguments: list[list[str]] = [case["args"] for case in recording["cases"]]
    return next(each[2] for each in arguments if each[:2] in (["delete", "ns"], ["create", "ns"]))


async def _leave(client: HttpClient, namespace: str) -> None:
    """Delete a namespace if there is one, and end its pods, which no kubelet does after the recording."""
    async with asyncio.timeout(LEAVING_SECONDS):
        while True:
            try:
                await client.delete(NAMESPACES, namespace)
            except NotFound:
                return
            except Conflict:
                pass  # It is being deleted.
            for pod in (await client.list(PODS, namespace)).items:
                if is_deleting(pod):
                    with suppress(NotFound):
                        await client.delete(PODS, pod["metadata"]["name"], namespace, grace_period_seconds=0)
            await asyncio.sleep(0.2)


def _title(case: Object) -> str:
    return " ".join(["kubectl", *case["args"]])


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


async def _make_nodes_ready(client: HttpClient) -> None:
    for name in ("node-1", "node-2"):
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "message": "kubelet is posting ready status",
        }
        status = {"conditions": [ready], "capacity": CAPACITY, "allocatable": CAPACITY}
        await client.patch(
            NODES, name, {"status": status}, patch_type=PatchType.STRATEGIC, subresource="status", field_manager="gold"
        )


class _Session:
    """kubectl, and the pods that the recording calls otherwise."""

    def __init__(self, client: HttpClient, kubeconfig: Path, home: Path, namespace: str) -> None:
        self._client = client
        self._namespace = namespace
        self._kubelet = ScriptedKubelet(client, SystemClock(), namespace)
        self._environ = {**os.environ, "KUBECONFIG": str(kubeconfig), "KUBECACHEDIR": str(home), "HOME": str(home)}
        self.names: dict[str, str] = {}
        """Pod in the recording -> pod here."""

    async def run(self, case: Object) -> tuple[int, str, str]:
        arguments = [self.names.get(argument, argument) for argument in case["args"]]
        stdin = case.get("stdin", "")
        raw = stdin if isinstance(stdin, str) else json.dumps(stdin)
        process = await asyncio.create_subprocess_exec(
            KUBECTL,
            "-n",
            self._namespace,
            *arguments,
            env=self._environ,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(COMMAND_SECONDS):
            out, err = await process.communicate(raw.encode())
        return process.returncode or 0, out.decode(), err.decode()

    async def play_kubelet(self, table: str) -> None:
        """Give the pods the states of ``table``, then wait until the Jobs have made those that follow."""
        rows = [re.split(r" {2,}", line) for line in table.splitlines()[1:] if line]
        first: dict[str, str] = {}
        for pod in (await self._client.list(PODS, self._namespace)).items:
            name = pod["metadata"]["name"]
            prefix = name[:-6]
            wanted = [row for row in rows if row[0][:-6] == prefix]
            row = next((row for row in wanted if row[2] != "Pending"), None)
            first[prefix] = name
            if row is not None:
                await self._act(name, row)
        deadline = asyncio.get_running_loop().time() + SETTLE_SECONDS
        while True:
            pods = (await self._client.list(PODS, self._namespace)).items
            if len(pods) >= len(rows) or asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(0.2)
        for row in rows:
            same = [pod["metadata"]["name"] for pod in pods if pod["metadata"]["name"][:-6] == row[0][:-6]]
            pending = row[2] == "Pending" and len(same) > 1
            self.names[row[0]] = next((n for n in same if (n != first.get(row[0][:-6])) == pending), row[0])

    async def _act(self, name: str, row: list[str]) -> None:
        state, ready, restarts = row[2], row[1], row[3]
        if state in STATES:
            await self._kubelet.act(name, STATES[state], {"exitCode": 1} if state == "Error" else {})
        elif ready.startswith("1/"):
            await self._kubelet.act(name, "ready", {})
        else:
            await self._kubelet.act(name, "running", {})
            await self._kubelet.act(name, "restart", {"restarts": int(restarts.split()[0]), "exitCode": 1})


def _compare(namespace: str, case: Object, code: int, out: str, err: str) -> Iterator[Difference]:
    kind = f"kubectl:{case['args'][0]}"
    if code != case["rc"]:
        yield Difference(0, f"{kind} rc", case["rc"], code)
    for stream, expected, found in (("stdout", case["stdout"], out), ("stderr", case["stderr"], err)):
        wanted, printed = (_normalised(text.replace(namespace, "kc")) for text in (expected, found))
        if wanted == printed:
            continue
        missing = _subtract(wanted, printed)
        extra = _subtract(printed, wanted)
        for line in missing:
            same = next((other for other in extra if bare(other) == bare(line)), None)
            if same is not None:
                extra.remove(same)
            shown = "(value)" if same is not None else f"- {line}"
            yield Difference(0, f"{kind} {stream} {shown}", line, same)
        for line in extra:
            yield Difference(0, f"{kind} {stream} + {line}", None, line)


def _subtract(lines: list[str], others: list[str]) -> list[str]:
    left = list(others)
    result = []
    for line in lines:
        if line in left:
            left.remove(line)
        else:
            result.append(line)
    return result


def _normalised(text: str) -> list[str]:
    """The lines of ``text``, sorted, with one word for every name, age, time and uid, and single spaces."""
    for pattern, word in ((_TIME, "<time>"), (_UID, "<uid>"), (_HASH, "<hash>"), (_AGE, "<age>")):
        text = pattern.sub(word, text)
    text = _MADE_UP.sub(r"\1-<made-up>", _VERSION.sub(r'\1"<rv>"', _SERVER.sub(r"\1", text)))
    lines = [line for line in text.splitlines() if line.strip() and not _LOG.match(line)]
    return sorted(" ".join(line.split()) for line in lines)
