"""The examples of the Training Operator and of Trainer, which users copy first, are taken as they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sidings.api import catalog
from sidings.api.jobset import labels as jobset_labels
from sidings.api.objects import Object, copy_of, labels_of, name_of, namespace_of
from sidings.api.options import WriteOptions
from sidings.api.resources import AUTOSCALERS, COSCHEDULING_POD_GROUPS, JOB_SETS, NAMESPACES, PODS
from sidings.controllers.trainjob import shipped
from sidings.host.control_plane import ControlPlane
from tests import control_planes

pytestmark = pytest.mark.looptime
FOLDER = Path(__file__).with_name("examples")
KINDS = catalog.builtin()
STRICT = WriteOptions(field_manager="kubectl", field_validation="Strict")


def examples(file: str) -> list[Any]:
    found = yaml.safe_load((FOLDER / f"{file}.yaml").read_text())
    return [pytest.param(each, id=_title(each)) for each in found]


def _title(example: Object) -> str:
    metadata = (example.get("job") or example["objects"][-1])["metadata"]
    return str(metadata.get("name") or metadata["generateName"])


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        await shipped.install(made.client)
        yield made


async def submit(plane: ControlPlane, *objects: Object) -> str:
    """As ``kubectl apply`` with its strict validation; returns the name of the last."""
    made: Object = {}
    for each in objects:
        obj = copy_of(each)
        kind = KINDS.by_api_version(obj["apiVersion"], obj["kind"])
        assert kind is not None
        namespace = namespace_of(obj) or "default"
        if namespace != "default":
            await plane.client.create(NAMESPACES, {"metadata": {"name": namespace}})
        made = await plane.registry.create(kind, obj, namespace, STRICT)
    await plane.clock.sleep(5)
    return name_of(made)


async def pods(plane: ControlPlane, prefix: str) -> list[Object]:
    return [pod for pod in (await plane.client.list(PODS)).items if name_of(pod).startswith(f"{prefix}-")]


def variables(pod: Object) -> dict[str, str]:
    """Of the first container; of one that is there twice the last."""
    return {each["name"]: each.get("value", "") for each in pod["spec"]["containers"][0].get("env") or ()}


@pytest.mark.parametrize("example", examples("training_operator"))
async def test_examples_of_the_training_operator(plane: ControlPlane, example: Object) -> None:
    name = await submit(plane, example["job"])
    found = await pods(plane, name)
    assert sorted(name_of(pod) for pod in found) == example["pods"]
    for pod in found:
        assert variables(pod).items() >= (example.get("env") or {}).items()
    scaled = [
        (it["spec"]["minReplicas"], it["spec"]["maxReplicas"]) for it in (await plane.client.list(AUTOSCALERS)).items
    ]
    assert scaled == [tuple(each) for each in [example.get("autoscaler")] if each]


@pytest.mark.parametrize("example", examples("trainer"))
async def test_examples_of_trainer(plane: ControlPlane, example: Object) -> None:
    name = await submit(plane, *example["objects"])
    job_set = await plane.client.get(JOB_SETS, name, "default")
    assert {job["name"] for job in job_set["spec"]["replicatedJobs"]} == set(example["pods"])
    found = await pods(plane, name)
    counts = Counter(labels_of(pod)[jobset_labels.REPLICATED_JOB_NAME] for pod in found)
    assert counts == {part: count for part, count in example["pods"].items() if count}
    for pod in found:
        assert variables(pod).items() >= (example.get("env") or {}).items()
    for what, spec in (example.get("beside") or {}).items():
        group = await plane.client.get(COSCHEDULING_POD_GROUPS, what.partition("/")[2], "default")
        assert group["spec"].items() >= spec.items()
