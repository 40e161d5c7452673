import pytest

from sidings.api.kinds.pod_spec import default_pod_spec
from sidings.api.kinds.pod_spec.defaults import pull_policy
from sidings.api.objects import copy_of


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("busybox", "Always"),
        ("busybox:latest", "Always"),
        ("busybox:1.36", "IfNotPresent"),
        ("localhost:5000/busybox", "Always"),
        ("localhost:5000/busybox:1", "IfNotPresent"),
        ("busybox@sha256:abc", "IfNotPresent"),
        ("", "Always"),
    ],
)
def test_pull_policy(image, policy):
    assert pull_policy(image) == policy


def test_volumes():
    spec = {
        "containers": [],
        "volumes": [
            {"name": "empty"},
            {"name": "host", "hostPath": {"path": "/data"}},
            {"name": "config", "configMap": {"name": "c"}},
            {
                "name": "all",
                "projected": {
                    "sources": [
                        {"serviceAccountToken": {"path": "token"}},
                        {"downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
                    ]
                },
            },
        ],
    }
    default_pod_spec(spec)
    empty, host, config, everything = spec["volumes"]
    assert empty == {"name": "empty", "emptyDir": {}}
    assert host["hostPath"]["type"] == ""
    assert config["configMap"]["defaultMode"] == 420
    token, labels = everything["projected"]["sources"]
    assert token["serviceAccountToken"]["expirationSeconds"] == 3600
    assert labels["downwardAPI"]["items"][0]["fieldRef"]["apiVersion"] == "v1"


def test_containers():
    spec = {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "ports": [{"containerPort": 80}],
                "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                "readinessProbe": {"httpGet": {"port": 80}},
            }
        ],
        "hostNetwork": True,
    }
    default_pod_spec(spec)
    (container,) = spec["containers"]
    assert container["ports"] == [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]
    assert container["env"][0]["valueFrom"]["fieldRef"]["apiVersion"] == "v1"
    assert container["readinessProbe"] == {
        "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    again = copy_of(spec)
    default_pod_spec(again)
    assert again == spec


def test_service_account_has_two_names():
    for given in (
        {"serviceAccountName": "a"},
        {"serviceAccount": "a"},
        {"serviceAccountName": "a", "serviceAccount": "old"},
    ):
        spec = {"containers": [], **given}
        default_pod_spec(spec)
        assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("a", "a")


def test_empty_value_of_a_variable_is_not_written():
    spec = {"containers": [{"name": "c", "env": [{"name": "A", "value": ""}, {"name": "B", "value": "0"}]}]}
    default_pod_spec(spec)
    assert spec["containers"][0]["env"] == [{"name": "A"}, {"name": "B", "value": "0"}]
