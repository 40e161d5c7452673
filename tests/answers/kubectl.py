"""Runs the commands that findings print, against a control plane in memory: only words that findings use."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import Any

from sidings.api import resources
from sidings.api.resources import Resource
from sidings.client.interface import Client, PatchType

_RESOURCES = {
    word: resource
    for resource in vars(resources).values()
    if isinstance(resource, Resource)
    for word in (resource.kind.lower(), resource.plural)
}
_TYPES = {"json": PatchType.JSON, "merge": PatchType.MERGE}


async def run(command: str, client: Client) -> None:
    """One command line as it was printed; ``echo MANIFEST | kubectl create -f -`` too."""
    before, pipe, after = command.partition(" | ")
    stdin = shlex.split(before)[1] if pipe else ""
    program, verb, *words = shlex.split(after if pipe else before)
    assert program == "kubectl", command
    await _VERBS[verb](client, words, stdin)


async def _patch(client: Client, words: list[str], stdin: str) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind")
    parser.add_argument("name")
    parser.add_argument("-n", default="")
    parser.add_argument("--type", required=True)
    parser.add_argument("-p", required=True)
    args = parser.parse_args(words)
    kind, body = _RESOURCES[args.kind], json.loads(args.p)
    await client.patch(kind, args.name, body, namespace=args.n, patch_type=_TYPES[args.type])


async def _create(client: Client, words: list[str], stdin: str) -> None:
    if stdin:
        obj = json.loads(stdin)
        resource = _RESOURCES[obj["kind"].lower()]
        await client.create(resource, obj, namespace=obj["metadata"].get("namespace", ""))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="+")
    parser.add_argument("-n", default="default")
    parser.add_argument("--from-literal", action="append", default=[])
    args = parser.parse_args(words)
    data: dict[str, Any] = dict(pair.split("=", 1) for pair in args.from_literal)
    resource = _RESOURCES[args.what[0]]
    if resource is resources.SERVICE_ACCOUNTS:
        account = {"apiVersion": "v1", "kind": resource.kind, "metadata": {"name": args.what[1], "namespace": args.n}}
        await client.create(resource, account, namespace=args.n)
        return
    field = "stringData" if resource is resources.SECRETS else "data"
    obj = {
        "apiVersion": "v1",
        "kind": resource.kind,
        "metadata": {"name": args.what[-1], "namespace": args.n},
        field: data,
    }
    await client.create(resource, obj, namespace=args.n)


async def _label(client: Client, words: list[str], stdin: str) -> None:
    kind, name, *pairs = [word for word in words if word != "--overwrite"]
    labels = dict(pair.split("=", 1) for pair in pairs)
    await client.patch(_RESOURCES[kind], name, {"metadata": {"labels": labels}})


async def _taint(client: Client, words: list[str], stdin: str) -> None:
    _, name, *gone = words
    node = await client.get(resources.NODES, name)
    kept = [t for t in node["spec"].get("taints") or () if f"{t['key']}:{t['effect']}-" not in gone]
    await client.patch(resources.NODES, name, {"spec": {"taints": kept}})


async def _uncordon(client: Client, words: list[str], stdin: str) -> None:
    await client.patch(resources.NODES, words[0], {"spec": {"unschedulable": None}})


_VERBS = {"patch": _patch, "create": _create, "label": _label, "taint": _taint, "uncordon": _uncordon}
