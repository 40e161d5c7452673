"""What pods refer to and is not there; the printed command makes it."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.answers import codes
from sidings.answers.why import references
from sidings.api.resources import CLAIMS, CONFIG_MAPS, JOBS, SECRETS
from tests.answers.why.conftest import Asked

pytestmark = pytest.mark.looptime


async def start(asked: Asked, container: dict[str, Any] | None = None, **spec: Any) -> None:
    await asked.node("n1")
    one = {"name": "c", "image": "i", **(container or {})}
    template = {"spec": {"restartPolicy": "Never", "containers": [one], **spec}}
    await asked.make(JOBS, "j", {"template": template})
    await asked.settle()


async def test_a_claim_is_missing(asked: Asked) -> None:
    await start(asked, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])
    found = await asked.root_cause("j")
    assert (found.code, found.where) == (codes.NO_CLAIM, "PersistentVolumeClaim team/data")
    await asked.mend(found)
    assert await asked.plane.client.get(CLAIMS, "data", "team")
    assert await asked.is_well("j")


async def test_a_config_map_that_the_environment_needs(asked: Asked) -> None:
    source = [{"name": n, "valueFrom": {"configMapKeyRef": {"name": "cfg", "key": n.lower()}}} for n in ("A", "B")]
    await start(asked, {"env": source})
    found = await asked.root_cause("j")
    assert (found.code, found.cause) == (codes.NO_CONFIG_MAP, "its keys are to be: a, b")
    await asked.mend(found)
    assert set((await asked.plane.client.get(CONFIG_MAPS, "cfg", "team"))["data"]) == {"a", "b"}
    assert await asked.is_well("j")


async def test_a_secret_that_is_mounted(asked: Asked) -> None:
    await start(asked, volumes=[{"name": "v", "secret": {"secretName": "token"}}])
    found = await asked.root_cause("j")
    assert (found.code, found.remedy) == (codes.NO_SECRET, "kubectl create secret generic token -n team")
    await asked.mend(found)
    assert await asked.plane.client.get(SECRETS, "token", "team")
    assert await asked.is_well("j")


async def test_a_key_is_missing(asked: Asked) -> None:
    await asked.make(CONFIG_MAPS, "cfg", data={"other": "1"})
    await start(asked, {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "cfg", "key": "a"}}}]})
    found = await asked.root_cause("j")
    assert (found.code, found.cause) == (codes.NO_KEY, "it has other")
    await asked.mend(found)
    assert await asked.is_well("j")


def test_what_is_optional_is_not_needed() -> None:
    spec = {
        "volumes": [{"name": "v", "configMap": {"name": "cfg", "optional": True}}],
        "containers": [
            {
                "name": "c",
                "envFrom": [{"secretRef": {"name": "s", "optional": True}}, {"configMapRef": {"name": "needed"}}],
            }
        ],
    }
    assert list(references.of_spec(spec)) == [references.Reference("ConfigMap", "needed")]
