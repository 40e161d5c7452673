"""The way from a job's label to its ClusterQueue: LocalQueue, ClusterQueue, namespace. Which link is broken?"""

from __future__ import annotations

import difflib
import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from sidings.answers import codes
from sidings.answers.demand import totals_of
from sidings.answers.explanations import finding
from sidings.answers.finding import Finding
from sidings.answers.surroundings import Surroundings
from sidings.api import conditions, selectors
from sidings.api.kueue import keys
from sidings.api.objects import Object, labels_of, name_of
from sidings.queue import activity, amounts, eligibility
from sidings.queue.snapshot import ClusterQueue, Snapshot
from sidings.queue.workloads import PodSet

GROUP = "kueue.x-k8s.io"
HOST = "kubernetes.io/hostname"
"""The level that nodes of every cluster are labelled with."""

_RUN = json.dumps({"spec": {"stopPolicy": "None"}})


def find(
    around: Surroundings,
    snapshot: Snapshot,
    namespace: str,
    local: str,
    job: Object | None = None,
    pod_sets: tuple[PodSet, ...] = (),
) -> list[Finding]:
    """What keeps jobs of ``namespace`` in LocalQueue ``local`` from being considered at all.

    ``job`` and what its ``pod_sets`` ask for, where they are known, are what remedies are made for.
    """
    return list(_broken(around, snapshot, namespace, local, job, pod_sets))


def cluster_queue_of(around: Surroundings, namespace: str, local: str) -> str:
    """The ClusterQueue behind a LocalQueue, empty where the latter does not exist."""
    queue = around.find("LocalQueue", local, namespace)
    return str(queue["spec"].get("clusterQueue") or "") if queue else ""


def _broken(
    around: Surroundings,
    snapshot: Snapshot,
    namespace: str,
    local: str,
    job: Object | None,
    pod_sets: tuple[PodSet, ...],
) -> Iterator[Finding]:
    queue = around.find("LocalQueue", local, namespace)
    if queue is None:
        if around.knows("LocalQueue"):
            yield _no_local_queue(around, namespace, local, job)
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
            yield _no_cluster_queue(around, local, name, pod_sets)
        return
    yield from _inactive(around, snapshot, name)
    if around.knows("Namespace"):
        yield from _namespace(around, snapshot, namespace, name)


def _no_local_queue(around: Surroundings, namespace: str, local: str, job: Object | None) -> Finding:
    there = sorted(name_of(q) for q in around.of_kind("LocalQueue") if q["metadata"].get("namespace") == namespace)
    serving = sorted(name_of(q) for q in around.of_kind("ClusterQueue"))
    cause = f"its LocalQueues: {', '.join(there)}" if there else "it has no LocalQueue"
    near = difflib.get_close_matches(local, there, n=1)
    if job is not None and near:
        label = f"{keys.QUEUE_NAME}={near[0]}"
        remedy = around.kubectl("label", job["kind"].lower(), name_of(job), "-n", namespace, label, "--overwrite")
    else:
        spec = {"clusterQueue": serving[0] if serving else "CLUSTER-QUEUE"}
        remedy = created(around, made(around, "LocalQueue", local, spec, namespace))
    what = f'namespace "{namespace}" has no LocalQueue "{local}"'
    return finding(codes.NO_LOCAL_QUEUE, f"LocalQueue {namespace}/{local}", what, cause=cause, remedy=remedy)


def made(around: Surroundings, kind: str, name: str, spec: Mapping[str, object], namespace: str = "") -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": f"{GROUP}/{around.kueue_version}", "kind": kind, "metadata": metadata, "spec": dict(spec)}


def created(around: Surroundings, *manifests: Object) -> str:
    """The command that creates objects, in their order."""
    whole = manifests[0] if len(manifests) == 1 else {"apiVersion": "v1", "kind": "List", "items": list(manifests)}
    return f"echo {shlex.quote(json.dumps(whole))} | {around.kubectl('create', '-f', '-')}"


def _no_cluster_queue(around: Surroundings, local: str, name: str, pod_sets: tuple[PodSet, ...]) -> Finding:
    there = sorted(name_of(q) for q in around.of_kind("ClusterQueue"))
    flavors = sorted(name_of(flavor) for flavor in around.of_kind("ResourceFlavor"))
    flavor = flavors[0] if flavors else "default-flavor"
    asked = totals_of(pod_sets)
    remedy = around.kubectl("get", "clusterqueues")
    if asked:
        quotas = [{"name": r, "nominalQuota": amounts.text(r, amount)} for r, amount in sorted(asked.items())]
        group = {"coveredResources": sorted(asked), "flavors": [{"name": flavor, "resources": quotas}]}
        queue = made(around, "ClusterQueue", name, {"namespaceSelector": {}, "resourceGroups": [group]})
        remedy = created(around, *([] if flavors else [made(around, "ResourceFlavor", flavor, {})]), queue)
    return finding(
        codes.NO_CLUSTER_QUEUE,
        f"ClusterQueue {name}",
        f'LocalQueue "{local}" points to ClusterQueue "{name}", which does not exist',
        cause=f"there are: {', '.join(there)}" if there else "there is no ClusterQueue at all",
        remedy=remedy,
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
    what = f'ClusterQueue "{name}" admits nobody'
    remedy = _revival(around, snapshot, snapshot.queues[name], reason)
    yield finding(codes.CLUSTER_QUEUE_INACTIVE, where, what, cause=f"{reason}: {message}", remedy=remedy)


def _revival(around: Surroundings, snapshot: Snapshot, queue: ClusterQueue, reason: str) -> str:
    """Makes what is missing where its name says enough; takes checks that do not work out of the queue."""
    named = sorted({f for group in queue.groups for f in group.flavors})
    if reason == activity.FLAVOR_NOT_FOUND:
        missing = [name for name in named if name not in snapshot.flavors]
        return created(around, *(made(around, "ResourceFlavor", name, {}) for name in missing))
    if reason == activity.TOPOLOGY_NOT_FOUND:
        there = {name_of(topology) for topology in around.of_kind("Topology")}
        wanted = {topology for name in named if (topology := snapshot.flavors[name].topology_name)}
        levels = {"levels": [{"nodeLabel": HOST}]}
        return created(around, *(made(around, "Topology", name, levels) for name in sorted(wanted - there)))
    if reason in (activity.ADMISSION_CHECK_NOT_FOUND, activity.ADMISSION_CHECK_INACTIVE):
        return _without_checks(around, queue.name)
    return around.kubectl("describe", "clusterqueue", queue.name)


def _without_checks(around: Surroundings, name: str) -> str:
    """Keeps the checks of the queue that are there and active, in whichever field it has them."""
    active = {
        name_of(check)
        for check in around.of_kind("AdmissionCheck")
        if conditions.is_true({"kind": "AdmissionCheck", **check}, "Active")
    }
    queue = around.find("ClusterQueue", name)
    assert queue is not None, "the snapshot has it from there"
    spec: Object = {}
    if listed := queue["spec"].get("admissionChecks"):
        spec["admissionChecks"] = [check for check in listed if check in active]
    strategy = (queue["spec"].get("admissionChecksStrategy") or {}).get("admissionChecks") or []
    if strategy:
        kept = [check for check in strategy if check["name"] in active]
        spec["admissionChecksStrategy"] = {"admissionChecks": kept} if kept else None
    body = json.dumps({"spec": spec})
    return around.kubectl("patch", "clusterqueue", name, "--type=merge", "-p", body)


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
        wanted = _labels_that_match(selector, labels)
        remedy = (
            around.kubectl("label", "namespace", namespace, *wanted, "--overwrite")
            if wanted
            else around.kubectl("edit", "clusterqueue", name)
        )
    what = f'ClusterQueue "{name}" does not admit jobs of namespace "{namespace}"'
    yield finding(codes.NAMESPACE_NOT_ADMITTED, f"ClusterQueue {name}", what, cause=cause, remedy=remedy)


def _labels_that_match(selector: Mapping[str, Any], labels: Mapping[str, str]) -> list[str]:
    """Words for ``kubectl label``: ``key=value``, or ``key-`` for a label that has to go."""
    words = [f"{k}={v}" for k, v in (selector.get("matchLabels") or {}).items() if labels.get(k) != v]
    for expression in selector.get("matchExpressions") or ():
        if selectors.matches({"matchExpressions": [expression]}, labels):
            continue
        key, values = expression["key"], expression.get("values") or ["true"]
        words.append(f"{key}={values[0]}" if expression["operator"] in ("In", "Exists") else f"{key}-")
    return words
