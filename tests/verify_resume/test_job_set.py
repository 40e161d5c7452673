"""What the pods of a script see, and with what they start."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from sidings.api import catalog
from sidings.api.resources import JOB_SETS
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.registry.registry import Registry
from sidings.store.store import Store
from sidings.verify_resume import job_set, places

S3 = {"AWS_ENDPOINT_URL": "http://storage", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "s", "HOME": "/root"}


def made(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    place = places.of(tmp_path / "run", arguments, tmp_path, S3)
    return job_set.job_set("verify", tmp_path / "scripts" / "train.py", place, 2, S3)


def pod_of(found: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = found["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return spec


async def test_the_api_takes_it(tmp_path: Path) -> None:
    client = LocalClient(Registry(Store.in_memory(), catalog.builtin(), LoopClock(), random.Random(1)))
    found = await client.create(JOB_SETS, made(tmp_path), namespace="default", field_validation="Strict")
    job = found["spec"]["replicatedJobs"][0]["template"]["spec"]
    assert (job["completions"], job["backoffLimit"]) == (2, 0)


def test_pods_see_what_the_script_sees_at_its_own_path(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "scripts" / "more").mkdir(parents=True)
    given = ("--data", "data", "--more", "scripts/more", "--checkpoint-dir", str(tmp_path / "c"))
    pod = pod_of(made(tmp_path, *given))
    seen = {mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
    assert {str(tmp_path / name) for name in ("data", "scripts", "run", "c/run")} <= seen
    assert str(tmp_path / "scripts" / "more") not in seen, "it lies in another one"
    assert {volume["hostPath"]["path"] for volume in pod["volumes"]} == seen
    assert pod["containers"][0]["command"][-2:] == ["--checkpoint-dir", str(tmp_path / "c" / "run")]


def test_a_bucket_is_reached_by_the_data_connection_or_the_users_variables(tmp_path: Path) -> None:
    [container] = pod_of(made(tmp_path))["containers"]
    assert "envFrom" not in container
    assert "AWS_ACCESS_KEY_ID" not in {each["name"] for each in container["env"]}
    [container] = pod_of(made(tmp_path, "--checkpoints", "s3://models/a"))["containers"]
    assert container["envFrom"] == [{"secretRef": {"name": "s3", "optional": True}}]
    assert {"name": "AWS_ENDPOINT_URL", "value": "http://storage"} in container["env"]
    assert "HOME" not in {each["name"] for each in container["env"]}
