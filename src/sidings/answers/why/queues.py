"""The way from a job's label to its ClusterQueue: LocalQueue, ClusterQueue, namespace. Which link is broken?"""

from __future__ import annotations

import json
from collections.abc import Iterator

from sidings.answers import codes
from sidings.answers.codes import finding
from sidings.answers.finding import Finding
from sidings.answers.surroundings import Surroundings
from sidings.api import selectors
from sidings.api.objects import Object, labels_of, name_of
from sidings.queue import activity, eligibility
from sidings.queue.snapshot import Snapshot

_RUN = json.dumps({"spec": {"stopPolicy": "None"}})


def find(around: Surroundings, snapshot: Snapshot, namespace: str, local: str) -> list[Finding]:
    """What keeps jobs of ``namespace`` in LocalQueue ``local`` from being considered at all."""
    return list(_broken(around, snapshot, namespace, local))


def cluster_queue_of(around: Surroundings, namespace: str, local: str) -> str:
    """The ClusterQueue behind a LocalQueue, empty where the latter does not exist."""
    queue = around.find("LocalQueue", local, namespace)
    return str(queue["spec"].get("clusterQueue") or "") if queue else ""


def _broken(around: Surroundings, snapshot: Snapshot, namespace: str, local: str) -> Iterator[Finding]:
    queue = around.find("LocalQueue", local, namespace)
    if queue is None:
        if around.knows("LocalQueue"):
            yield _no_local_queue(around, namespace, local)
        return
    if eligibility.holds(queue):
        yield finding(
            codes.LOCAL_QUEUE_STOPPED,
            f"LocalQueue {namespace}/{local}",
            f'LocalQueue "{local}" is stopped',
            cause=f"its stopPolicy is {queue['spec']['stopPolicy']}",
            remedy=around.kubectl("patch", "localqueue", local, "-n", namespace, "--type=merge", "-p", _RUN),
        )
    name = str(queue["spec"].get("clusterQueue") or "")
    if name not in snapshot.queues:
        if around.knows("ClusterQueue"):
            yield _no_cluster_queue(around, local, name)
        return
    yield from _inactive(around, snapshot, name)
    if around.knows("Namespace"):
        yield from _namespace(around, snapshot, namespace, name)


def _no_local_queue(around: Surroundings, namespace: str, local: str) -> Finding:
    there = sorted(name_of(q) for q in around.of_kind("LocalQueue") if q["metadata"].get("namespace") == namespace)
    serving = sorted(name_of(q) for q in around.of_kind("ClusterQueue"))
    cause = f"its LocalQueues: {', '.join(there)}" if there else "it has no LocalQueue"
    manifest = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": local, "namespace": namespace},
        "spec": {"clusterQueue": serving[0] if serving else "CLUSTER-QUEUE"},
    }
    return finding(
        codes.NO_LOCAL_QUEUE,
        f"LocalQueue {namespace}/{local}",
        f'namespace "{namespace}" has no LocalQueue "{local}"',
        cause=cause,
        remedy=created(around, manifest),
    )


def created(around: Surroundings, manifest: Object) -> str:
    """The command that creates an object."""
    return f"echo '{json.dumps(manifest)}' | {around.kubectl('create', '-f', '-')}"


def _no_cluster_queue(around: Surroundings, local: str, name: str) -> Finding:
    there = sorted(name_of(q) for q in around.of_kind("ClusterQueue"))
    return finding(
        codes.NO_CLUSTER_QUEUE,
        f"ClusterQueue {name}",
        f'LocalQueue "{local}" points to ClusterQueue "{name}", which does not exist',
        cause=f"there are: {', '.join(there)}" if there else "there is no ClusterQueue at all",
        remedy=around.kubectl("get", "clusterqueues"),
    )


def _inactive(around: Surroundings, snapshot: Snapshot, name: str) -> Iterator[Finding]:
    inactive = snapshot.queues[name].inactive
    if inactive is None:
        return
    reason, message = inactive
    where = f"ClusterQueue {name}"
    if reason == activity.STOPPED:
        policy = snapshot.queues[name].stop_policy
        remedy = around.kubectl("patch", "clusterqueue", name, "--type=merge", "-p", _RUN)
        yield finding(
            codes.CLUSTER_QUEUE_STOPPED,
            where,
            f'ClusterQueue "{name}" is stopped',
            cause=f"its stopPolicy is {policy}",
            remedy=remedy,
        )
        return
    missing = sorted({f for group in snapshot.queues[name].groups for f in group.flavors} - snapshot.flavors.keys())
    remedy = around.kubectl("describe", "clusterqueue", name)
    if reason == activity.FLAVOR_NOT_FOUND:
        flavor = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": missing[0]}}
        remedy = created(around, flavor)
    what = f'ClusterQueue "{name}" admits nobody'
    yield finding(codes.CLUSTER_QUEUE_INACTIVE, where, what, cause=f"{reason}: {message}", remedy=remedy)


def _namespace(around: Surroundings, snapshot: Snapshot, namespace: str, name: str) -> Iterator[Finding]:
    selector = snapshot.queues[name].namespace_selector
    found = around.find("Namespace", namespace)
    labels = labels_of(found) if found else {}
    if selectors.matches(selector, labels):
        return
    if selector is None:
        cause = "it has no namespaceSelector, which matches nothing"
        body = json.dumps({"spec": {"namespaceSelector": {}}})
        remedy = around.kubectl("patch", "clusterqueue", name, "--type=merge", "-p", body)
    else:
        cause = f"its namespaceSelector is {json.dumps(selector)}"
        wanted = [f"{k}={v}" for k, v in (selector.get("matchLabels") or {}).items() if labels.get(k) != v]
        remedy = (
            around.kubectl("label", "namespace", namespace, *wanted, "--overwrite")
            if wanted
            else around.kubectl("edit", "clusterqueue", name)
        )
    what = f'ClusterQueue "{name}" does not admit jobs of namespace "{namespace}"'
    yield finding(codes.NAMESPACE_NOT_ADMITTED, f"ClusterQueue {name}", what, cause=cause, remedy=remedy)
