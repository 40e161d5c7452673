"""Kinds of jobs by Kueue's names for them."""

from __future__ import annotations

import pytest

from sidings.api.kueue import frameworks, jobs
from sidings.api.kueue.frameworks import External, Frameworks
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, JOBS, PODS, PYTORCH_JOBS

OWNER: Object = {"apiVersion": "example.com/v1beta1", "kind": "Batch", "name": "b", "uid": "u"}
DEFINITION: Object = {
    "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "batches", "kind": "Batch"}}
}


def test_names_are_upstream_s() -> None:
    found = [frameworks.name_of(resource) for resource in (JOBS, JOB_SETS, PYTORCH_JOBS, PODS)]
    assert found == ["batch/job", "jobset.x-k8s.io/jobset", "kubeflow.org/pytorchjob", "pod"]
    assert {frameworks.name_of(resource) for resource in jobs.WEBHOOKS} < frameworks.NAMES


def test_all_are_held_unless_listed() -> None:
    assert Frameworks().hold(JOBS)
    assert not Frameworks(frozenset({"pod"})).hold(JOBS)


@pytest.mark.parametrize("name", ["Batch", "batches"])
def test_an_external_owner_is_found_by_kind_or_plural(name: str) -> None:
    known = Frameworks(external=frozenset({External(name, "v1beta1", "example.com")}))
    found = known.external_owner(OWNER, [DEFINITION])
    assert found is not None
    assert found.path("team", "b") == "/apis/example.com/v1beta1/namespaces/team/batches/b"
    assert known.external_owner({**OWNER, "kind": "Other"}, [DEFINITION]) is None
    assert Frameworks().external_owner(OWNER, [DEFINITION]) is None


@pytest.mark.parametrize("text", ["Batch", "Batch.v1", ".v1.example.com"])
def test_an_external_framework_has_kind_version_and_group(text: str) -> None:
    with pytest.raises(ValueError, match=r"Kind\.version\.group"):
        frameworks.external(text)
