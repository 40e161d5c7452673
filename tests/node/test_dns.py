from sidings.node import dns
from tests.node.pods import container, pod, service

ZONE = "workers.default.svc.cluster.local"


def _worker(name: str, ready: bool = False, **spec: str) -> dict:  # type: ignore[type-arg]
    made = pod(name=name, uid=name, metadata={"labels": {"job": "x"}}, hostname=name, subdomain="workers", **spec)
    made["status"] = {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}
    return made


def test_pods_of_a_headless_service_have_names_before_they_are_ready() -> None:
    table = dns.table([service("workers", {"job": "x"})], [_worker("w-0"), _worker("w-1")], {"w-0": "1.1.1.1"})
    assert table.names == {ZONE: ["1.1.1.1"], f"w-0.{ZONE}": ["1.1.1.1"]}
    assert table.reverse == {"1.1.1.1": f"w-0.{ZONE}"}
    assert table.zones == {ZONE}


def test_without_publish_not_ready_addresses_only_ready_pods_count() -> None:
    services = [service("workers", {"job": "x"}, at_once=False)]
    addresses = {"w-0": "1.1.1.1", "w-1": "1.1.1.2"}
    table = dns.table(services, [_worker("w-0"), _worker("w-1", ready=True)], addresses)
    assert table.names == {ZONE: ["1.1.1.2"], f"w-1.{ZONE}": ["1.1.1.2"]}


def test_no_service_no_name() -> None:
    assert dns.table([], [_worker("w-0")], {"w-0": "1.1.1.1"}).names == {}


def test_a_service_of_another_namespace_or_selector_gives_no_name() -> None:
    other = service("workers", {"job": "x"})
    other["metadata"]["namespace"] = "elsewhere"
    table = dns.table([other, service("workers", {"job": "y"})], [_worker("w-0")], {"w-0": "1.1.1.1"})
    assert table.names == {}


def test_a_subdomain_that_is_not_the_service_gives_only_the_service_name() -> None:
    table = dns.table([service("front", {"job": "x"})], [_worker("w-0")], {"w-0": "1.1.1.1"})
    front = "front.default.svc.cluster.local"
    assert table.names == {front: ["1.1.1.1"], f"1-1-1-1.{front}": ["1.1.1.1"]}


def test_a_long_pod_name_makes_a_valid_host_name() -> None:
    long = pod(name="a" * 62 + "-.b")
    assert dns.host_name(long) == "a" * 62
    assert dns.full_name(long) == "a" * 62


def _front(*ports: dict, **spec: object) -> dict:  # type: ignore[type-arg]
    made = service("front", {"app": "a"})
    made["spec"] |= {"clusterIP": "10.96.0.7", "ports": list(ports), **spec}
    return made


MEMBER = pod(
    container(ports=[{"name": "web", "containerPort": 8080}]),
    name="m",
    uid="m",
    metadata={"labels": {"app": "a"}},
    hostname="m",
    subdomain="front",
)
FRONT = "front.default.svc.cluster.local"


def test_a_service_resolves_to_its_own_address_and_its_pods_by_name() -> None:
    for protocol in ("TCP", "UDP"):
        found = dns.table([_front({"port": 80, "protocol": protocol})], [MEMBER], {"m": "1.1.1.1"})
        assert found.names == {FRONT: ["10.96.0.7"], f"m.{FRONT}": ["1.1.1.1"]}
        assert found.reverse["10.96.0.7"] == FRONT


def test_a_service_that_cannot_be_carried_resolves_to_its_pods() -> None:
    found = dns.table([_front({"port": 80, "protocol": "SCTP"})], [MEMBER], {"m": "1.1.1.1"})
    assert found.names[FRONT] == ["1.1.1.1"]


def test_a_service_without_selector_resolves_to_its_address() -> None:
    found = dns.table([_front({"port": 443}, selector=None)], [], {})
    assert (found.names, found.zones) == ({FRONT: ["10.96.0.7"]}, frozenset())


def test_named_ports_have_records_of_their_own() -> None:
    port = {"name": "http", "port": 80, "targetPort": "web"}
    found = dns.table([_front(port, {"port": 1})], [MEMBER], {"m": "1.1.1.1"})
    assert found.ports == {f"_http._tcp.{FRONT}": [(80, FRONT)]}
    found = dns.table([_front(port, clusterIP="None")], [MEMBER], {"m": "1.1.1.1"})
    assert found.ports == {f"_http._tcp.{FRONT}": [(8080, f"m.{FRONT}")]}


def test_an_external_name_is_an_alias() -> None:
    outside = {"metadata": {"name": "db", "namespace": "default"}}
    outside["spec"] = {"type": "ExternalName", "externalName": "DB.example.com."}
    found = dns.table([outside], [], {})
    assert (found.aliases, found.names) == ({"db.default.svc.cluster.local": "db.example.com"}, {})
