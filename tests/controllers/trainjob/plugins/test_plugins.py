"""Which plug-ins run, and what happens to a policy that none implements."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.errors import BuildError
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


@pytest.mark.parametrize("name", ["flux"])
def test_missing_policy_is_named(name: str) -> None:
    info = runtime_info(train_job({}), runtime(policy={name: {}}))
    with pytest.raises(BuildError) as raised:
        plugins.enforce(info)
    assert raised.value.what == f'TrainingRuntime "rt": spec.mlPolicy.{name} is not supported by Sidings'


def test_missing_gang_scheduler_is_named() -> None:
    rt = runtime()
    rt["spec"]["podGroupPolicy"] = {"volcano": {}}
    with pytest.raises(BuildError, match=r"spec\.podGroupPolicy\.volcano is not supported"):
        plugins.enforce(runtime_info(train_job({}), rt))
