"""A link between a job and its quota is broken: found, named, and mended by the command that is printed.

Cases from reports of Kueue's users: kubernetes-sigs/kueue#2833 (why is it pending), #1939, #3936.
"""

from __future__ import annotations

import pytest

from sidings.answers import codes
from sidings.api.resources import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS
from tests.answers.why.conftest import Asked

pytestmark = pytest.mark.looptime


async def test_the_local_queue_is_missing(asked: Asked) -> None:
    await asked.queue(local="other")
    await asked.job("j", queue="lq")
    await asked.settle()
    found = await asked.root_cause("j")
    assert (found.code, found.where) == (codes.NO_LOCAL_QUEUE, "LocalQueue team/lq")
    assert found.cause == "its LocalQueues: other"
    await asked.mend(found)
    assert await asked.runs("j")
    assert await asked.is_well("j")


async def test_the_local_queue_is_stopped(asked: Asked) -> None:
    await asked.queue()
    await asked.patch(LOCAL_QUEUES, "lq", {"spec": {"stopPolicy": "Hold"}})
    await asked.job("j")
    await asked.settle()
    found = await asked.root_cause("j")
    assert (found.code, found.cause) == (codes.LOCAL_QUEUE_STOPPED, "its stopPolicy is Hold")
    await asked.mend(found)
    assert await asked.runs("j")


async def test_the_cluster_queue_is_missing(asked: Asked) -> None:
    await asked.make(LOCAL_QUEUES, "lq", {"clusterQueue": "nowhere"})
    await asked.job("j")
    await asked.settle()
    found = await asked.root_cause("j")
    assert (found.code, found.where) == (codes.NO_CLUSTER_QUEUE, "ClusterQueue nowhere")
    assert found.cause == "there is no ClusterQueue at all"


async def test_the_cluster_queue_is_stopped(asked: Asked) -> None:
    await asked.queue(stopPolicy="HoldAndDrain")
    await asked.job("j")
    await asked.settle()
    found = await asked.root_cause("j")
    assert (found.code, found.cause) == (codes.CLUSTER_QUEUE_STOPPED, "its stopPolicy is HoldAndDrain")
    await asked.mend(found)
    assert await asked.runs("j")


async def test_the_flavor_is_missing(asked: Asked) -> None:
    await asked.queue(
        resourceGroups=[
            {
                "coveredResources": ["cpu"],
                "flavors": [{"name": "a100", "resources": [{"name": "cpu", "nominalQuota": "4"}]}],
            }
        ]
    )
    await asked.job("j")
    await asked.settle()
    found = await asked.root_cause("j")
    assert found.code == codes.CLUSTER_QUEUE_INACTIVE
    assert "references missing ResourceFlavor(s): a100" in found.cause
    await asked.mend(found)
    assert await asked.runs("j")


async def test_the_namespace_is_not_the_queue_s(asked: Asked) -> None:
    await asked.queue(namespaceSelector={"matchLabels": {"team": "ml"}})
    await asked.job("j")
    await asked.settle()
    found = await asked.root_cause("j")
    assert found.code == codes.NAMESPACE_NOT_ADMITTED
    assert found.remedy == "kubectl label namespace team team=ml --overwrite"
    await asked.mend(found)
    assert await asked.runs("j")


async def test_a_queue_without_selector_admits_nobody(asked: Asked) -> None:
    await asked.queue(namespaceSelector=None)
    await asked.job("j")
    await asked.settle()
    found = await asked.root_cause("j")
    assert found.cause == "it has no namespaceSelector, which matches nothing"
    await asked.mend(found)
    assert await asked.runs("j")


async def test_the_workload_is_deactivated(asked: Asked) -> None:
    await asked.queue()
    await asked.job("j")
    await asked.settle()
    name = (await asked.workload("j"))["metadata"]["name"]
    await asked.patch(WORKLOADS, name, {"spec": {"active": False}})
    await asked.settle()
    found = await asked.root_cause("j")
    assert found.code == codes.DEACTIVATED
    await asked.mend(found)
    assert await asked.runs("j")


async def test_the_priority_class_is_missing(asked: Asked) -> None:
    await asked.queue()
    await asked.job("j", labels={"kueue.x-k8s.io/priority-class": "high"})
    await asked.settle(30)
    found = await asked.root_cause("j")
    assert found.code == codes.NO_WORKLOAD
    assert '"high" not found' in found.cause


async def test_a_job_suspended_by_its_user(asked: Asked) -> None:
    await asked.job("j", queue="")
    await asked.settle()
    from sidings.api.resources import JOBS

    await asked.patch(JOBS, "j", {"spec": {"suspend": True}})
    await asked.settle()
    found = await asked.root_cause("j")
    assert (found.code, found.remedy) == (codes.SUSPENDED, "sidings resume job/j -n team")


async def test_what_cannot_be_read_is_not_missing(asked: Asked) -> None:
    """On a shared cluster a user may not list queues; what Kueue wrote on the Workload is all there is."""
    from dataclasses import replace

    from sidings.answers.why import chain
    from sidings.cli import jobs
    from sidings.host import surroundings

    await asked.queue("1")
    await asked.job("j", pods=2)
    await asked.settle()
    client = asked.plane.client
    around = await surroundings.read(client, asked.plane.clock, "team", " --context prod")
    hidden = ("ClusterQueue", "LocalQueue", "ResourceFlavor")
    known = {kind: items for kind, items in around.objects.items() if kind not in hidden}
    around = replace(around, objects=known, unreadable=frozenset(hidden))
    [found] = chain.answer(await jobs.find(client, None, "j", "team"), around).findings
    assert found.code == codes.QUEUE_SAYS
    assert found.cause.endswith("current podset request (2) > maximum capacity (1)")
    assert found.remedy.startswith("kubectl --context prod describe workload ")


async def test_the_chain_names_every_link(asked: Asked) -> None:
    await asked.queue("1", cohortName="lab")
    await asked.job("j")
    await asked.settle()
    answer = await asked.why("j")
    assert [link.where.split()[0] for link in answer.links] == [
        "Job",
        "Pods",
        "Workload",
        "LocalQueue",
        "ClusterQueue",
        "Cohort",
    ]
    assert answer.links[4] == chain_link("ClusterQueue cq", "active, 1 hold quota, 0 wait")
    assert (await asked.plane.client.get(CLUSTER_QUEUES, "cq"))["spec"]["cohortName"] == "lab"


def chain_link(where: str, state: str) -> object:
    from sidings.answers.why.chain import Link

    return Link(where, state)
