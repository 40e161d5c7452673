"""Logs by way of the pod. Commands, terminals and ports: ``test_exec``, ``test_attach``, ``test_node_ports``."""

from __future__ import annotations

import pytest

from sidings.api.pods import LogOptions
from sidings.api.resources import PODS
from sidings.api.status import BadRequest
from tests.node.clusters import Cluster


async def test_logs_of_what_never_started_are_refused_with_the_reason(cluster: Cluster) -> None:
    await cluster.run("true", volumes=[{"name": "v", "configMap": {"name": "none"}}])
    await cluster.event("FailedMount")
    with pytest.raises(BadRequest, match='container "c" in pod "p" is waiting to start: ContainerCreating'):
        cluster.agent.doors.logs(await cluster.get(), LogOptions("c"))


async def test_logs_before_a_restart_are_refused_where_there_was_none(cluster: Cluster) -> None:
    await cluster.output("true")
    with pytest.raises(BadRequest, match='previous terminated container "c" in pod "p" not found'):
        cluster.agent.doors.logs(await cluster.get(), LogOptions("c", previous=True))


async def test_following_a_log_ends_with_the_container(cluster: Cluster) -> None:
    await cluster.run("for i in 1 2 3; do echo $i; sleep 0.1; done; printf end")
    await cluster.phase("Running")
    assert await cluster.logs(follow=True) == "1\n2\n3\nend"


async def test_a_pod_made_anew_under_an_old_name_shows_no_old_lines(cluster: Cluster) -> None:
    assert await cluster.output("echo old") == "old\n"
    await cluster.client.delete(PODS, "p", "default")
    await cluster.gone()
    assert await cluster.output("echo new") == "new\n"
