from __future__ import annotations

from typing import Any

import pytest

from sidings.node import security
from sidings.node.errors import SandboxFailed, SecurityRefused
from sidings.node.sandbox.credentials import DEFAULT_CAPABILITIES, Credentials
from sidings.node.security import NON_ROOT, Means
from tests.node.pods import container, pod

ROOT, USER = Means(), Means(groups=False, own_user=1000)
HOST_TIER = Means(users=False, groups=False, own_user=1000, network=False)
IPC_LOCK = 1 << 14


def _credentials(of_pod: dict[str, Any] | None = None, means: Means = ROOT, **of_container: Any) -> Credentials:
    made = container(securityContext=of_container)
    return security.credentials(pod(made, securityContext=of_pod or {}), made, means)


def test_a_container_that_says_nothing_is_root_with_the_default_capabilities() -> None:
    assert _credentials() == Credentials()


def test_the_containers_field_wins_over_the_pods() -> None:
    found = _credentials({"runAsUser": 1, "runAsGroup": 2}, runAsUser=3)
    assert (found.user, found.group) == (3, 2)
    assert _credentials({"runAsNonRoot": True}, runAsNonRoot=False).user == 0


def test_who_must_not_be_root_and_does_not_say_who_is_somebody() -> None:
    assert _credentials({"runAsNonRoot": True}).user == NON_ROOT
    assert _credentials({"runAsNonRoot": True}, means=USER).user == NON_ROOT
    assert _credentials({"runAsNonRoot": True}, runAsUser=1001).user == 1001


def test_root_that_must_not_be_root_is_refused_in_kubelets_words() -> None:
    with pytest.raises(SecurityRefused, match=r"container's runAsUser breaks non-root policy \(pod: \"p_default\(1111"):
        _credentials({"runAsNonRoot": True}, runAsUser=0)


def test_groups_are_the_pods_where_they_can_be_given() -> None:
    context = {"supplementalGroups": [5, 6], "fsGroup": 5}
    assert _credentials(context).groups == (5, 6)
    assert _credentials({"fsGroup": 7}).groups == (7,)
    assert _credentials(context, means=USER).groups == ()


@pytest.mark.parametrize(
    ("wanted", "mask"),
    [
        ({"drop": ["ALL"]}, 0),
        ({"drop": ["all"], "add": ["NET_BIND_SERVICE"]}, 1 << 10),
        ({"add": ["IPC_LOCK"]}, DEFAULT_CAPABILITIES | IPC_LOCK),
        ({"add": ["CAP_IPC_LOCK"], "drop": ["CHOWN"]}, (DEFAULT_CAPABILITIES | IPC_LOCK) & ~1),
    ],
)
def test_capabilities(wanted: dict[str, list[str]], mask: int) -> None:
    assert _credentials(capabilities=wanted).capabilities == mask


@pytest.mark.parametrize("name", ["SYS_ADMIN", "MKNOD", "ALL", "CAP_SYS_MODULE", "NO_SUCH"])
def test_capabilities_that_reach_beyond_the_pod_are_refused(name: str) -> None:
    with pytest.raises(SecurityRefused, match=f"cannot have here: {name}$") as caught:
        _credentials(capabilities={"add": [name, "IPC_LOCK"]})
    assert "IPC_LOCK" in (caught.value.cause or "")


def test_privilege_escalation_and_the_default_profile() -> None:
    found = _credentials({"seccompProfile": {"type": "RuntimeDefault"}}, allowPrivilegeEscalation=False)
    assert (found.no_new_privileges, found.seccomp) == (True, True)
    found = _credentials({"seccompProfile": {"type": "RuntimeDefault"}}, seccompProfile={"type": "Unconfined"})
    assert (found.no_new_privileges, found.seccomp) == (False, False)


@pytest.mark.parametrize(
    "context",
    [
        {"privileged": True},
        {"procMount": "Unmasked"},
        {"seccompProfile": {"type": "Localhost", "localhostProfile": "p.json"}},
    ],
)
def test_what_would_need_the_machine_is_refused_with_a_way_out(context: dict[str, Any]) -> None:
    with pytest.raises(SecurityRefused) as caught:
        _credentials(**context)
    assert caught.value.cause


def test_without_namespaces_a_container_is_who_runs_the_engine() -> None:
    assert _credentials(means=HOST_TIER, runAsUser=1000).user == 0
    assert _credentials({"runAsNonRoot": True}, means=HOST_TIER).user == 0
    with pytest.raises(SecurityRefused, match="runAsUser 5 is not supported"):
        _credentials(means=HOST_TIER, runAsUser=5)
    with pytest.raises(SecurityRefused, match="would run as root"):
        _credentials({"runAsNonRoot": True}, means=Means(users=False, groups=False, own_user=0))


@pytest.mark.parametrize("field", ["hostPID", "hostIPC", "shareProcessNamespace"])
def test_namespaces_of_others_are_refused(field: str) -> None:
    asking: dict[str, Any] = {field: True}
    with pytest.raises(SandboxFailed, match=f"^{field} is not supported") as caught:
        security.check_pod(pod(**asking), ROOT)
    assert f"remove spec.{field}" in (caught.value.cause or "")


def test_the_nodes_network_is_not_an_engines() -> None:
    security.check_pod(pod(hostNetwork=True), ROOT)
    with pytest.raises(SandboxFailed, match="hostNetwork"):
        security.check_pod(pod(hostNetwork=True), ROOT, engine=True)


def test_sysctls_are_those_that_kubelet_admits() -> None:
    safe = {"sysctls": [{"name": "net.ipv4.ip_local_port_range", "value": "1024 2000"}]}
    assert security.forbidden_sysctl(pod(securityContext=safe)) == ""
    assert security.sysctls(pod(securityContext=safe)) == (("net.ipv4.ip_local_port_range", "1024 2000"),)
    unsafe = {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}
    assert security.forbidden_sysctl(pod(securityContext=unsafe)) == 'forbidden sysctl: "kernel.msgmax" not allowlisted'
    with pytest.raises(SandboxFailed, match="sysctls"):
        security.check_pod(pod(securityContext=safe), HOST_TIER)


def test_users_of_a_pod() -> None:
    made = pod(
        container("a", securityContext={"runAsUser": 5, "runAsGroup": 6}),
        container("b"),
        initContainers=[container("i", securityContext={"runAsUser": 0})],
        securityContext={"runAsNonRoot": True},
    )
    assert security.users(made) == {5: 6, NON_ROOT: 0}
    assert security.users(pod()) == {}


def test_fields_without_effect_depend_on_the_tier() -> None:
    context: dict[str, Any] = {"capabilities": {"drop": ["ALL"]}, "allowPrivilegeEscalation": False}
    made = pod(container(securityContext=context), securityContext={"supplementalGroups": [1], "fsGroup": 1})
    assert list(security.without_effect(made, ROOT)) == []
    assert list(security.without_effect(made, USER)) == ["securityContext.supplementalGroups"]
    assert list(security.without_effect(made, HOST_TIER)) == [
        "securityContext.supplementalGroups",
        "securityContext.fsGroup",
        "containers[c].securityContext.capabilities",
        "containers[c].securityContext.allowPrivilegeEscalation",
    ]
