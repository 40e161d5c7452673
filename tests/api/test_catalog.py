import pytest

from sidings.api import catalog
from sidings.api.catalog import Catalog
from sidings.api.kind import Kind
from sidings.api.resources import JOB_SETS, NAMESPACES, PODS, TRAIN_JOBS, Resource


def custom(plural: str = "widgets", version: str = "v1", **others) -> Kind:
    return Kind(
        resource=Resource("example.com", version, plural, "Widget"),
        singular="widget",
        schema={"type": "object"},
        builtin=False,
        **others,
    )


def test_a_kind_is_found_by_url_and_by_manifest():
    kinds = catalog.builtin()
    job_set = kinds.by_plural("jobset.x-k8s.io", "v1alpha2", "jobsets")
    assert job_set is not None
    assert job_set.resource == JOB_SETS
    assert kinds.by_kind("jobset.x-k8s.io", "v1alpha2", "JobSet") is job_set
    assert kinds.by_api_version("jobset.x-k8s.io/v1alpha2", "JobSet") is job_set
    assert kinds.by_api_version("v1", "Pod") is kinds.by_plural("", "v1", "pods")


@pytest.mark.parametrize(
    ("word", "resource"),
    [
        ("pods", PODS),
        ("pod", PODS),
        ("po", PODS),
        ("Pod", PODS),
        ("ns", NAMESPACES),
        ("trainjobs.trainer.kubeflow.org", TRAIN_JOBS),
        ("trainjobs.v1alpha1.trainer.kubeflow.org", TRAIN_JOBS),
    ],
)
def test_a_kind_is_found_by_what_people_type(word, resource):
    kind = catalog.builtin().by_word(word)
    assert kind is not None
    assert kind.resource == resource


def test_what_is_not_served_is_none():
    kinds = catalog.builtin()
    assert kinds.by_plural("batch", "v9", "jobs") is None
    assert kinds.by_kind("", "v1", "Foo") is None
    assert kinds.by_word("foos") is None


def test_adding_leaves_the_old_catalog_alone_and_replaces_by_plural():
    old = Catalog([custom()])
    new = old.with_kinds([custom(short_names=("wd",)), custom(version="v2")])
    assert old.by_word("wd") is None
    assert new.by_word("wd") is new.by_plural("example.com", "v1", "widgets")
    assert len(new) == 2
    assert len(new.without("example.com", "widgets")) == 0


def test_a_builtin_kind_keeps_its_words():
    kinds = catalog.builtin().with_kinds([custom("pods")])
    pods = kinds.by_word("pods")
    assert pods is not None
    assert pods.resource == PODS


def test_every_kind_has_columns_that_can_be_read():
    for kind in catalog.builtin():
        for column in kind.columns:
            assert bool(column.json_path) != bool(column.cell), (kind.resource.plural, column.name)
