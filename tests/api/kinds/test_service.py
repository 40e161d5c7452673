from datetime import UTC, datetime

import pytest

from sidings.api import table
from sidings.api.kinds.service import KIND, SERVICE_NETWORK, cluster_ip
from sidings.api.objects import copy_of

RULES = KIND.rules
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def created(name="s", uid="u", **spec):
    service = {"metadata": {"name": name, "uid": uid}, "spec": spec}
    RULES.default(service)
    RULES.default_on_create(service)
    return service


def test_a_headless_service_with_selector():
    service = created(clusterIP="None", selector={"a": "b"})
    assert service["spec"] == {
        "clusterIP": "None",
        "clusterIPs": ["None"],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "selector": {"a": "b"},
        "sessionAffinity": "None",
        "type": "ClusterIP",
    }
    assert service["status"] == {"loadBalancer": {}}
    assert RULES.validate(service) == []


def test_a_headless_service_without_selector_takes_any_family():
    spec = created(clusterIP="None")["spec"]
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (["IPv4", "IPv6"], "RequireDualStack")


def test_other_services_get_an_address_and_target_ports():
    service = created(ports=[{"port": 80}], selector={"a": "b"})
    assert service["spec"]["clusterIP"] == cluster_ip("u")
    assert service["spec"]["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]
    assert RULES.validate(service) == []
    row = table.cells(KIND, service, NOW)
    assert row == ["s", "ClusterIP", cluster_ip("u"), "<none>", "80/TCP", "<unknown>", "a=b"]


def test_addresses_differ_by_uid_and_lie_in_the_network():
    addresses = {cluster_ip(str(number)) for number in range(50)}
    assert len(addresses) == 50
    assert all(SERVICE_NETWORK.supernet_of(type(SERVICE_NETWORK)(address)) for address in addresses)


def test_the_address_does_not_change():
    old = created(ports=[{"port": 80}])
    new = copy_of(old)
    new["spec"]["clusterIP"] = "10.0.0.9"
    assert [str(error) for error in RULES.validate_update(new, old)] == [
        'spec.clusterIPs[0]: Invalid value: ["10.0.0.9"]: may not change once set'
    ]
    del new["spec"]["clusterIP"]
    RULES.prepare_for_update(new, old)
    assert RULES.validate_update(new, old) == []


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        ({}, ["spec.ports: Required value"]),
        (
            {"ports": [{"port": 0}]},
            ["spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"],
        ),
        (
            {"ports": [{"port": 1, "name": "a"}, {"port": 1, "name": "a"}]},
            [
                'spec.ports[1].name: Duplicate value: "a"',
                'spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}',
            ],
        ),
        ({"type": "ExternalName"}, ["spec.externalName: Required value"]),
    ],
)
def test_rules(spec, texts):
    assert [str(error) for error in RULES.validate(created(**spec))] == texts


def test_names():
    assert RULES.name_complaints("x.y") == ["must not contain dots"]
    assert RULES.name_complaints("x-y") == []
    assert RULES.name_complaints("X")[0].startswith("a lowercase RFC 1123 label")
