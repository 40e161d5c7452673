import base64
import dataclasses
from pathlib import Path

import pytest

from sidings.node.environment import NodeFacts, arguments, expand, resolve
from sidings.node.errors import ConfigMissing
from sidings.node.gpus.in_memory import h200
from sidings.node.gpus.source import units
from sidings.node.sources import Sources, references
from tests.node.pods import container, pod

FACTS = NodeFacts(
    {"status.podIP": "10.244.1.2", "status.hostIP": "10.244.1.1"}, {"cpu": "8", "memory": "64Gi"}, True, 2
)
SOURCES = Sources(
    {"settings": {"data": {"mode": "fast", "level": "3"}}},
    {"keys": {"data": {"token": base64.b64encode(b"s3cret").decode()}}},
)
PREFIX = Path("/envs/a")


def _resolved(
    *env: dict,  # type: ignore[type-arg]
    sources: Sources = SOURCES,
    facts: NodeFacts = FACTS,
    **fields: object,
) -> dict[str, str]:
    made = container(env=list(env), **fields)
    return resolve(made, pod(made, metadata={"labels": {"a": "b"}}), sources, facts, PREFIX)


def test_every_container_gets_path_home_and_no_device() -> None:
    found = _resolved()
    assert found["PATH"].startswith("/envs/a/bin:")
    assert (found["HOME"], found["HOSTNAME"], found["CUDA_VISIBLE_DEVICES"]) == ("/root", "p", "")
    assert "OMP_NUM_THREADS" not in found


def test_a_container_with_gpus_finds_them_and_the_driver() -> None:
    units_ = units([h200(0), h200(1)])
    found = _resolved(facts=dataclasses.replace(FACTS, units=units_, driver_folder="/usr/local/nvidia/lib64"))
    assert found["CUDA_VISIBLE_DEVICES"] == found["NVIDIA_VISIBLE_DEVICES"] == f"{h200(0).uuid},{h200(1).uuid}"
    assert found["LD_LIBRARY_PATH"] == "/usr/local/nvidia/lib64"
    without = _resolved(facts=dataclasses.replace(FACTS, driver_folder="/usr/local/nvidia/lib64"))
    assert "LD_LIBRARY_PATH" not in without


def test_variables_about_services_come_first() -> None:
    made = container(env=[{"name": "A", "value": "at $(WEB_PORT)"}, {"name": "WEB_SERVICE_HOST", "value": "mine"}])
    services = {"WEB_PORT": "tcp://10.96.0.9:80", "WEB_SERVICE_HOST": "10.96.0.9", "HOME": "/nowhere"}
    found = resolve(made, pod(made), SOURCES, FACTS, PREFIX, services)
    assert (found["A"], found["WEB_SERVICE_HOST"], found["HOME"]) == ("at tcp://10.96.0.9:80", "mine", "/root")


def test_a_manifest_may_override_what_is_given() -> None:
    assert _resolved({"name": "CUDA_VISIBLE_DEVICES", "value": "3"})["CUDA_VISIBLE_DEVICES"] == "3"


@pytest.mark.parametrize(("limit", "threads"), [("500m", "1"), ("1500m", "1"), ("2", "2"), ("64", "2")])
def test_threads_follow_the_cpu_limit_up_to_the_machines_cores(limit: str, threads: str) -> None:
    found = _resolved(resources={"limits": {"cpu": limit}})
    assert found["OMP_NUM_THREADS"] == threads


def test_threads_are_the_nodes_share_of_the_machine_where_it_shares_it() -> None:
    shared = dataclasses.replace(FACTS, share=1)
    assert _resolved(facts=shared)["OMP_NUM_THREADS"] == "1"
    assert _resolved(facts=shared, resources={"limits": {"cpu": "2"}})["OMP_NUM_THREADS"] == "2"


def test_values_mention_earlier_ones() -> None:
    found = _resolved(
        {"name": "A", "value": "1"},
        {"name": "B", "value": "$(A)-$(LATER)-$$(A)"},
        {"name": "LATER", "value": "x"},
    )
    assert found["B"] == "1-$(LATER)-$(A)"


def test_expansion_leaves_other_dollars_alone() -> None:
    assert expand("$A ${B} $() $(C) 100$", {"C": "c"}) == "$A ${B} $() c 100$"


def test_env_from_comes_before_env_and_may_have_a_prefix() -> None:
    found = _resolved(
        {"name": "level", "value": "4"},
        envFrom=[{"configMapRef": {"name": "settings"}}, {"prefix": "K_", "secretRef": {"name": "keys"}}],
    )
    assert (found["mode"], found["level"], found["K_token"]) == ("fast", "4", "s3cret")


def test_values_from_keys_fields_and_resources() -> None:
    found = _resolved(
        {"name": "MODE", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "mode"}}},
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token"}}},
        {"name": "LABEL", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a']"}}},
        {"name": "NONE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['x']"}}},
        {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        {"name": "MEMORY", "valueFrom": {"resourceFieldRef": {"resource": "requests.memory", "divisor": "1Mi"}}},
        resources={"requests": {"memory": "1.5Gi"}},
    )
    assert found["MODE"] == "fast"
    assert found["TOKEN"] == "s3cret"
    assert (found["LABEL"], found["NONE"], found["NAME"], found["NODE"]) == ("b", "", "p", "node-1")
    assert (found["IP"], found["CPU"], found["MEMORY"]) == ("10.244.1.2", "8", "1536")


@pytest.mark.parametrize(
    ("origin", "message"),
    [
        ({"configMapKeyRef": {"name": "none", "key": "a"}}, 'configmap "none" not found'),
        ({"secretKeyRef": {"name": "none", "key": "a"}}, 'secret "none" not found'),
        ({"configMapKeyRef": {"name": "settings", "key": "a"}}, "couldn't find key a in ConfigMap default/settings"),
        ({"secretKeyRef": {"name": "keys", "key": "a"}}, "couldn't find key a in Secret default/keys"),
        ({"fieldRef": {"fieldPath": "spec.nothing"}}, "field path 'spec.nothing' is not supported"),
    ],
)
def test_what_is_missing_is_named_as_kubelet_names_it(origin: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ConfigMissing, match=message.replace("(", r"\(")):
        _resolved({"name": "X", "valueFrom": origin})


@pytest.mark.parametrize("kind", ["configMapKeyRef", "secretKeyRef"])
def test_an_absent_optional_source_sets_nothing(kind: str) -> None:
    assert "X" not in _resolved({"name": "X", "valueFrom": {kind: {"name": "none", "key": "a", "optional": True}}})
    assert "X" not in _resolved({"name": "X", "valueFrom": {kind: {"name": "keys", "key": "a", "optional": True}}})


def test_auto_means_the_pods_gpus_where_they_are_simulated() -> None:
    auto = {"name": "PET_NPROC_PER_NODE", "value": "auto"}
    assert _resolved(auto, resources={"limits": {"nvidia.com/gpu": "2"}})["PET_NPROC_PER_NODE"] == "2"
    assert _resolved(auto)["PET_NPROC_PER_NODE"] == "auto"


def test_command_and_args_are_expanded_and_args_alone_are_a_command() -> None:
    made = container(command=["sh", "-c"], args=["echo $(A)"])
    assert arguments(made, {"A": "1"}) == ("sh", "-c", "echo 1")
    assert arguments(container(args=["true"]), {}) == ("true",)
    assert arguments(container(), {}) == ()


def test_references_name_every_config_map_and_secret_once_per_mention() -> None:
    made = container(
        envFrom=[{"configMapRef": {"name": "a"}}],
        env=[{"name": "X", "valueFrom": {"secretKeyRef": {"name": "b", "key": "k"}}}],
    )
    volumes = [
        {"name": "v", "configMap": {"name": "c"}},
        {"name": "w", "secret": {"secretName": "d"}},
        {"name": "x", "projected": {"sources": [{"configMap": {"name": "e"}}, {"secret": {"name": "f"}}]}},
    ]
    found = set(
        references(pod(made, initContainers=[container("i", envFrom=[{"secretRef": {"name": "g"}}])], volumes=volumes))
    )
    assert found == {
        ("configMap", "a"), ("secret", "b"), ("configMap", "c"), ("secret", "d"), ("configMap", "e"), ("secret", "f"),
        ("secret", "g"),
    }  # fmt: skip
