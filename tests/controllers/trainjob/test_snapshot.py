"""The frozen runtime (cases C14, C18)."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object, controller_ref
from sidings.controllers.trainjob import snapshot
from sidings.controllers.trainjob.errors import BuildError
from tests.trainjobs import runtime, train_job


def test_runtime_comes_back_as_go_would_have_written_it() -> None:
    job = train_job()
    rt = runtime(policy={"torch": {}})
    rt["metadata"] |= {"creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"yes": "no", "n": "1"}}
    config_map = snapshot.freeze(job, rt)
    assert config_map["metadata"] == {
        "name": "tj-runtime-snapshot",
        "namespace": "team",
        "ownerReferences": [controller_ref(job)],
    }
    assert config_map["data"]["runtime"] == (
        "apiVersion: trainer.kubeflow.org/v1alpha1\n"
        "kind: TrainingRuntime\n"
        "metadata:\n"
        '  creationTimestamp: "2026-01-01T00:00:00Z"\n'
        "  labels:\n"
        '    "n": "1"\n'
        '    "yes": "no"\n'
        "  name: rt\n"
        "  namespace: team\n"
        "spec:\n"
        "  mlPolicy:\n"
        "    torch: {}\n"
        "  template:\n"
        "    metadata: {}\n"
        "    spec:\n"
        "      replicatedJobs:\n"
        "      - name: node\n"
        "        template:\n"
        "          metadata:\n"
        "            labels:\n"
        "              trainer.kubeflow.org/trainjob-ancestor-step: trainer\n"
        "          spec:\n"
        "            template:\n"
        "              metadata: {}\n"
        "              spec:\n"
        "                containers:\n"
        "                - image: img:1\n"
        "                  name: node\n"
        "                  resources: {}\n"
    )
    thawed = snapshot.thaw(job, config_map)
    assert thawed["metadata"] == rt["metadata"]
    assert thawed["spec"]["mlPolicy"] == {"torch": {}}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"metadata": {"name": "x"}}, "a snapshot configmap exists but is owned by another object"),
        (
            {"metadata": {"ownerReferences": [controller_ref(train_job(name="other"))]}},
            "a snapshot configmap exists but is owned by another object",
        ),
        ({"data": {}}, 'snapshot ConfigMap missing "runtime" data key'),
        (
            {"data": {"runtime": "kind: TrainingRuntime"}},
            "the snapshot refers to the wrong runtime: TrainingRuntime None",
        ),
        ({"data": {"runtime": "- 1"}}, "the snapshot refers to the wrong runtime: list"),
    ],
)
def test_snapshots_that_are_none(change: Any, reason: str) -> None:
    config_map: Object = snapshot.freeze(train_job(), runtime()) | change
    with pytest.raises(BuildError) as raised:
        snapshot.thaw(train_job(), config_map)
    assert raised.value.what == f"unable to get runtime snapshot: invalid runtime snapshot: {reason}"


def test_unreadable_snapshot() -> None:
    config_map = snapshot.freeze(train_job(), runtime()) | {"data": {"runtime": "a: [1"}}
    with pytest.raises(BuildError, match="invalid runtime snapshot: unable to unmarshal the snapshot: "):
        snapshot.thaw(train_job(), config_map)
