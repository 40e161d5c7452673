"""Which plug-ins run."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.info import runtime_info
from tests.trainjobs import replicated_job, runtime, train_job, trainer_job


@pytest.mark.parametrize("policy", [None, {}, {"numNodes": 2}])
def test_without_a_framework_only_nodes_and_env_are_set(policy: Object | None) -> None:
    info = runtime_info(
        train_job({"numNodes": 3, "env": [{"name": "A", "value": "1"}]}),
        runtime(replicated_job("side"), trainer_job(), policy=policy),
    )
    plugins.enforce(info)
    side, node = info.pod_sets
    assert (side.count, node.count) == (1, 3)
    assert (node.container("node") or {})["env"] == [{"name": "A", "value": "1"}]
    assert "ports" not in (node.container("node") or {})


def test_policies_run_before_gangs() -> None:
    """A gang counts the pods that the ML policy has set."""
    rt = runtime(policy={"torch": {}})
    rt["spec"]["podGroupPolicy"] = {"volcano": {}}
    assert list(plugins.active(runtime_info(train_job({}), rt))) == ["torch", "volcano"]
