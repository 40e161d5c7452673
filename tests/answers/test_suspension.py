import pytest

from sidings.answers import suspension


def root(api_version, kind, **spec):
    return {"apiVersion": api_version, "kind": kind, "spec": spec}


@pytest.mark.parametrize(
    ("job", "suspended"),
    [
        (root("batch/v1", "Job", suspend=True), True),
        (root("batch/v1", "Job"), False),
        (root("kubeflow.org/v1", "PyTorchJob", runPolicy={"suspend": True}), True),
        (root("kubeflow.org/v1", "PyTorchJob", suspend=True), False),
        (root("kubeflow.org/v1", "PyTorchJob"), False),
    ],
)
def test_where_a_job_says_that_it_is_suspended(job, suspended):
    assert suspension.is_suspended(job) is suspended


def test_the_patch_goes_to_the_same_place():
    assert suspension.change(root("jobset.x-k8s.io/v1alpha2", "JobSet"), True) == {"spec": {"suspend": True}}
    assert suspension.change(root("kubeflow.org/v1", "JAXJob"), False) == {"spec": {"runPolicy": {"suspend": False}}}
