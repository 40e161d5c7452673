import pytest

from sidings.api.definition import versions


def definition(*names, storage="v1", unserved=(), stored=()):
    declared = [{"name": name, "served": name not in unserved, "storage": name == storage} for name in names]
    return {"spec": {"versions": declared}, "status": {"storedVersions": list(stored)}}


def test_the_preferred_version_comes_first():
    names = ("v1beta1", "v1", "foo", "v2alpha1", "v10", "v1beta2", "v2")
    assert [v["name"] for v in versions.served(definition(*names))] == [
        "v10", "v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "foo",
    ]  # fmt: skip


@pytest.mark.parametrize(("unserved", "home"), [((), "v1"), (("v1",), "v2"), (("v1", "v2", "v1beta1"), "")])
def test_objects_are_kept_in_a_version_that_is_served(unserved, home):
    assert versions.home(definition("v1beta1", "v1", "v2", unserved=unserved)) == home


def test_stored_versions_grow():
    assert versions.stored_versions(definition("v1", "v2")) == ["v1"]
    assert versions.stored_versions(definition("v1", "v2", storage="v2"), ["v1"]) == ["v1", "v2"]
    assert versions.stored_versions(definition("v1", "v2"), ["v1"]) == ["v1"]


def test_a_stored_version_must_stay():
    assert versions.stored_errors(definition("v1", "v2", stored=["v1"])) == []
    (error,) = versions.stored_errors(definition("v2", stored=["v1", "v2"]))
    assert str(error).startswith('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was')
