"""DataScienceCluster in two versions."""

from sidings.api.kinds import platform
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, DATA_SCIENCE_CLUSTERS_V1


def test_v1_has_older_names_and_no_younger_components():
    stored = {
        "apiVersion": DATA_SCIENCE_CLUSTERS.api_version,
        "spec": {
            "components": {"trainer": {"managementState": "Managed"}, "aipipelines": {"managementState": "Removed"}}
        },
    }
    shown = platform.from_v2(stored)
    assert shown["apiVersion"] == DATA_SCIENCE_CLUSTERS_V1.api_version
    assert shown["spec"]["components"] == {"datasciencepipelines": {"managementState": "Removed"}}
    assert platform.to_v2(shown)["spec"]["components"] == {"aipipelines": {"managementState": "Removed"}}


def test_what_only_v1_has_is_dropped():
    assert platform.to_v2({"spec": {"components": {"codeflare": {}, "kueue": {}}}})["spec"] == {
        "components": {"kueue": {}}
    }


def test_operators_are_singletons():
    kind = next(kind for kind in platform.KINDS if kind.resource.kind == "JobSetOperator")
    obj = {"apiVersion": "operator.openshift.io/v1", "kind": "JobSetOperator", "metadata": {"name": "mine"}, "spec": {}}
    (error,) = kind.rules.validate_create(obj)
    assert error.text.endswith("JobSetOperator is a singleton, .metadata.name must be 'cluster'")
    assert kind.rules.validate_create({**obj, "metadata": {"name": "cluster"}}) == []
