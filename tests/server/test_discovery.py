import pytest

from sidings.api.kind import Kind
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, JOBS, NAMESPACES, PODS, TRAIN_JOBS
from sidings.server.discovery import Discovery, content_type

KINDS = [
    Kind(
        PODS,
        "pod",
        {},
        builtin=True,
        short_names=("po",),
        categories=("all",),
        subresources=frozenset({"status", "log", "eviction"}),
    ),
    Kind(NAMESPACES, "namespace", {}, builtin=True, short_names=("ns",)),
    Kind(JOBS, "job", {}, builtin=True),
    Kind(TRAIN_JOBS, "trainjob", {}, builtin=False, subresources=frozenset({"status"})),
    Kind(CLUSTER_TRAINING_RUNTIMES, "clustertrainingruntime", {}, builtin=False),
]


@pytest.fixture(scope="module")
def discovery() -> Discovery:
    return Discovery.of(KINDS)


def test_core(discovery: Discovery) -> None:
    assert discovery.core_versions("127.0.0.1:6443") == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}],
    }


def test_groups(discovery: Discovery) -> None:
    groups = discovery.group_list()
    assert [group["name"] for group in groups["groups"]] == [
        "batch",
        "trainer.kubeflow.org",
        "authorization.k8s.io",
        "authentication.k8s.io",
        "metrics.k8s.io",
        "user.openshift.io",
        "project.openshift.io",
        "config.openshift.io",
        "operators.coreos.com",
        "apps",
        "networking.k8s.io",
    ]
    assert discovery.group("batch") == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "batch",
        "versions": [{"groupVersion": "batch/v1", "version": "v1"}],
        "preferredVersion": {"groupVersion": "batch/v1", "version": "v1"},
    }
    assert discovery.group("zz.io") is None
    assert discovery.group("") is None


def test_resources_of_a_version(discovery: Discovery) -> None:
    found = discovery.resource_list("", "v1")
    assert found is not None
    assert (found["kind"], found["groupVersion"]) == ("APIResourceList", "v1")
    by_name = {item["name"]: item for item in found["resources"]}
    assert list(by_name) == ["namespaces", "pods", "pods/eviction", "pods/log", "pods/status", "replicationcontrollers"]
    assert by_name["pods"] == {
        "name": "pods",
        "singularName": "pod",
        "namespaced": True,
        "kind": "Pod",
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "shortNames": ["po"],
        "categories": ["all"],
        "storageVersionHash": "xPOwRZ+Yhw8=",
    }
    assert by_name["pods/status"]["verbs"] == ["get", "patch", "update"]
    assert "deletecollection" not in by_name["namespaces"]["verbs"]
    assert discovery.resource_list("batch", "v9") is None


def test_drain_learns_that_it_may_evict(discovery: Discovery) -> None:
    found = discovery.resource_list("", "v1")
    assert found is not None
    eviction = next(item for item in found["resources"] if item["name"] == "pods/eviction")
    assert (eviction["group"], eviction["version"], eviction["kind"]) == ("policy", "v1", "Eviction")


@pytest.mark.parametrize("version", ["v2", "v2beta1"])
def test_aggregated(discovery: Discovery, version: str) -> None:
    core = discovery.aggregated(True, version)
    assert (core["kind"], core["apiVersion"]) == ("APIGroupDiscoveryList", f"apidiscovery.k8s.io/{version}")
    assert [item["metadata"] for item in core["items"]] == [{}]
    pods = core["items"][0]["versions"][0]["resources"][1]
    assert pods["responseKind"] == {"group": "", "version": "", "kind": "Pod"}, "empty: those it is listed under"
    assert pods["subresources"][0]["responseKind"] == {"group": "policy", "version": "v1", "kind": "Eviction"}
    groups = discovery.aggregated(False, version)["items"]
    trainer = next(item for item in groups if item["metadata"].get("name") == "trainer.kubeflow.org")
    (served,) = trainer["versions"]
    assert (served["version"], served["freshness"]) == ("v1alpha1", "Current")
    assert served["resources"] == [
        {
            "resource": "clustertrainingruntimes",
            "responseKind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "ClusterTrainingRuntime"},
            "scope": "Cluster",
            "singularResource": "clustertrainingruntime",
            "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
        },
        {
            "resource": "trainjobs",
            "responseKind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "TrainJob"},
            "scope": "Namespaced",
            "singularResource": "trainjob",
            "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
            "subresources": [
                {
                    "subresource": "status",
                    "responseKind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "TrainJob"},
                    "verbs": ["get", "patch", "update"],
                }
            ],
        },
    ]


def test_both_forms_name_the_same_resources(discovery: Discovery) -> None:
    aggregated = {
        (item["metadata"].get("name", ""), version["version"], resource["resource"])
        for core in (True, False)
        for item in discovery.aggregated(core, "v2")["items"]
        for version in item["versions"]
        for resource in version["resources"]
    }
    plain = set()
    for group, versions in discovery.groups.items():
        for version in versions:
            found = discovery.resource_list(group, version)
            assert found is not None
            plain |= {(group, version, item["name"]) for item in found["resources"] if "/" not in item["name"]}
    assert aggregated == plain


def test_the_content_type_is_exact() -> None:
    assert content_type("v2") == b"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
