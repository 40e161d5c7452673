"""Mistakes in topology annotations are told at the template that makes them."""

from __future__ import annotations

import pytest

from sidings.api.kueue import jobs, keys, topology_annotations
from sidings.api.resources import JOB_SETS, JOBS, PYTORCH_JOBS

RACK = "example.com/rack"


def told(annotations: dict[str, str]) -> list[str]:
    return [str(error) for error in topology_annotations.errors(annotations, "a")]


@pytest.mark.parametrize(
    "good",
    [
        {},
        {keys.REQUIRED_TOPOLOGY: RACK, keys.POD_SET_GROUP: "both"},
        {keys.UNCONSTRAINED_TOPOLOGY: "true"},
        {keys.PREFERRED_TOPOLOGY: RACK, keys.SLICE_REQUIRED_TOPOLOGY: "kubernetes.io/hostname", keys.SLICE_SIZE: "2"},
        {keys.REQUIRED_TOPOLOGY: RACK, keys.SLICE_CONSTRAINTS: '[{"topology": "example.com/rack", "size": 2}]'},
    ],
)
def test_what_can_be_placed(good: dict[str, str]) -> None:
    assert told(good) == []


def test_only_one_way_to_place() -> None:
    both = {keys.REQUIRED_TOPOLOGY: RACK, keys.UNCONSTRAINED_TOPOLOGY: "true"}
    assert told(both) == [
        "a: Invalid value: must not contain more than one topology annotation: [kueue.x-k8s.io/podset-required-topology"
        ", kueue.x-k8s.io/podset-preferred-topology, kueue.x-k8s.io/podset-unconstrained-topology]"
    ]


def test_levels_are_labels_of_nodes() -> None:
    (error,) = told({keys.PREFERRED_TOPOLOGY: "a rack"})
    assert error.startswith('a[kueue.x-k8s.io/podset-preferred-topology]: Invalid value: "a rack": name part must')


def test_pod_sets_stay_together_only_where_a_level_says_so() -> None:
    (error,) = told({keys.POD_SET_GROUP: "both"})
    assert "Forbidden: may not be set when neither 'kueue.x-k8s.io/podset-required-topology' nor" in error


@pytest.mark.parametrize(
    ("slices", "expected"),
    [
        ({keys.SLICE_REQUIRED_TOPOLOGY: RACK}, "Required value: slice size is required if slice topology"),
        ({keys.SLICE_SIZE: "2"}, "Forbidden: may not be set when 'kueue.x-k8s.io/podset-slice-required-topology' is"),
        ({keys.SLICE_REQUIRED_TOPOLOGY: RACK, keys.SLICE_SIZE: "two"}, 'Invalid value: "two": must be a numeric value'),
        ({keys.SLICE_REQUIRED_TOPOLOGY: RACK, keys.SLICE_SIZE: "0"}, "must be greater than or equal to 1"),
        ({keys.SLICE_CONSTRAINTS: "{not json"}, topology_annotations.NO_CONSTRAINTS),
        ({keys.SLICE_CONSTRAINTS: '[{"topology": "x", "size": 0}]'}, topology_annotations.NO_CONSTRAINTS),
        ({keys.SLICE_CONSTRAINTS: "7"}, topology_annotations.NO_CONSTRAINTS),
    ],
)
def test_slices(slices: dict[str, str], expected: str) -> None:
    (error,) = told(slices)
    assert expected in error


def test_the_template_is_named_whatever_the_kind() -> None:
    template = {"metadata": {"annotations": {keys.SLICE_SIZE: "2"}}}
    job = {"metadata": {}, "spec": {"template": template}}
    job_set = {"metadata": {}, "spec": {"replicatedJobs": [{"template": {"spec": {"template": template}}}]}}
    pytorch = {"metadata": {}, "spec": {"pytorchReplicaSpecs": {"Worker": {"template": template}}}}
    key = f"metadata.annotations[{keys.SLICE_SIZE}]"
    assert [next(jobs.errors(*of)).field for of in ((JOBS, job), (JOB_SETS, job_set), (PYTORCH_JOBS, pytorch))] == [
        f"spec.template.{key}",
        f"spec.replicatedJobs[0].template.spec.template.{key}",
        f"spec.pytorchReplicaSpecs[Worker].template.{key}",
    ]
