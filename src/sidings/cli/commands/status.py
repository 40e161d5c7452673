"""``sidings status``: the engine, its nodes with what is in use of them, and how many jobs are in which state."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from collections import Counter
from typing import TYPE_CHECKING, Any

from sidings.api.pod_phase import has_ended
from sidings.cli.errors import ExitCode
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.api.objects import Object
    from sidings.host.home import EngineRecord, Home

SUMMARY = "show the engine, its nodes and its jobs"
DESCRIPTION = """
Show whether the engine runs and where, its nodes with used and whole resources, and the jobs by state.
Exit code 5 where it does not run.
"""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("-o", "--output", choices=("json", "yaml"), default="", help="for programs")


def run(args: Namespace, invocation: Invocation) -> int:
    from sidings.cli import output
    from sidings.host import home

    here = home.locate(invocation.environ)
    answer = asyncio.run(collect(here, here.engine(), invocation))
    if args.output:
        invocation.console.print(output.as_json(answer) if args.output == "json" else output.as_yaml(answer))
    else:
        _show(invocation, answer)
    return ExitCode.OK


async def collect(here: Home, record: EngineRecord, invocation: Invocation) -> dict[str, Any]:
    """The whole answer, as ``-o json`` prints it."""
    from pathlib import Path

    from sidings.answers.state import state_of
    from sidings.api.resources import NODES, PODS
    from sidings.cli import jobs
    from sidings.client import kubeconfig
    from sidings.client.http import HttpClient

    async with HttpClient(kubeconfig.load([Path(record.kubeconfig)]), invocation.clock) as client:
        nodes = (await client.list(NODES)).items
        pods = (await client.list(PODS)).items
        families = await jobs.all_families(client, "")
    states = Counter(str(state_of(family).state) for family in families)
    return {
        "engine": {
            "server": record.server,
            "pid": record.pid,
            "version": record.version,
            "started": record.started,
            "home": str(here.path),
            "kubeconfig": record.kubeconfig,
            "log": str(here.log),
        },
        "nodes": [node_answer(node, pods) for node in nodes],
        "jobs": dict(states),
    }


def node_answer(node: Object, pods: list[Object]) -> dict[str, Any]:
    """A node with ``used/whole`` of each resource; used is what unfinished pods on it request."""
    from sidings.api.conditions import is_true

    name = node["metadata"]["name"]
    here = [pod for pod in pods if pod["spec"].get("nodeName") == name and not has_ended(pod)]
    whole = node["status"].get("allocatable") or {}
    taints = [taint["key"] for taint in node["spec"].get("taints") or ()]
    return {
        "name": name,
        "state": "Ready" if is_true(node, "Ready") else "NotReady",
        "cordoned": bool(node["spec"].get("unschedulable")),
        "cpu": _share(here, whole, "cpu"),
        "memory": _share(here, whole, "memory"),
        "gpu": _share(here, whole, "nvidia.com/gpu") if "nvidia.com/gpu" in whole else "",
        "pods": f"{len(here)}/{whole.get('pods', '0')}",
        "sandbox": _condition_reason(node, "sidings.dev/Sandbox"),
        "taints": taints,
    }


def _share(pods: list[Object], whole: dict[str, str], resource: str) -> str:
    from decimal import Decimal

    from sidings.api import pod_resources, quantity

    used = sum((pod_resources.of_pod(pod).get(resource, Decimal(0)) for pod in pods), Decimal(0))
    # Added to a nought of the node's own spelling, so that memory is shown in Gi where the node says Gi.
    total = whole.get(resource, "0")
    return f"{quantity.add(total, used - quantity.parse(total))}/{total}"


def _condition_reason(node: Object, type_: str) -> str:
    from sidings.api.conditions import find

    return str((find(node["status"].get("conditions"), type_) or {}).get("reason") or "")


def _show(invocation: Invocation, answer: dict[str, Any]) -> None:
    from sidings.api import age
    from sidings.cli import output

    console, engine = invocation.console, answer["engine"]
    up_for = age.since(engine["started"], invocation.clock.now())
    console.print(f"engine      running for {up_for}, process {engine['pid']}, version {engine['version']}")
    console.print(f"server      {engine['server']}")
    console.print(f"kubeconfig  {engine['kubeconfig']}")
    console.print(f"state       {engine['home']}")
    console.print()
    headers = ("NODE", "STATE", "CPU", "MEMORY", "GPU", "PODS", "SANDBOX")
    rows = [
        (
            node["name"],
            node["state"] + (",cordoned" if node["cordoned"] else ""),
            *(node[key] for key in ("cpu", "memory", "gpu", "pods", "sandbox")),
        )
        for node in answer["nodes"]
    ]
    if rows:
        for line in output.table(headers, rows, optional=("GPU", "SANDBOX")):
            console.print(line)
    else:
        console.print("no nodes")
    console.print()
    counts = ", ".join(f"{count} {console.paint_state(state)}" for state, count in answer["jobs"].items())
    console.print(f"jobs        {counts or 'none'}")
