from sidings.node import hosts
from tests.node.pods import pod


def test_the_pods_own_line_is_first_and_its_full_name_first_in_it() -> None:
    text = hosts.hosts(pod(hostname="w-0", subdomain="workers"), "10.244.1.2")
    assert text.splitlines()[0] == "10.244.1.2\tw-0.workers.default.svc.cluster.local\tw-0"
    assert "127.0.0.1\tlocalhost" in text


def test_without_a_subdomain_the_name_stands_once() -> None:
    assert hosts.hosts(pod(), "10.244.1.2").splitlines()[0] == "10.244.1.2\tp"


def test_host_aliases_are_added() -> None:
    aliased = pod(hostAliases=[{"ip": "1.2.3.4", "hostnames": ["a", "b"]}])
    assert hosts.hosts(aliased, "10.244.1.2").splitlines()[-1] == "1.2.3.4\ta\tb"


def test_only_files_and_dns_are_asked_for_hosts() -> None:
    passwd, others = "passwd: files systemd\n", "hosts: files mdns4_minimal [NOTFOUND=return] resolve dns\n"
    made = hosts.files(pod(), "1.1.1.1", f"{passwd}shadow: files systemd\n{others}")["nsswitch.conf"]
    assert made == f"{passwd}shadow: files\nhosts: files dns\n"
    assert "nsswitch.conf" not in hosts.files(pod(), "1.1.1.1", "")


def test_in_the_nodes_network_a_pod_is_called_as_the_node_is() -> None:
    assert hosts.hosts(pod(hostNetwork=True), "10.244.1.1").splitlines()[0] == "10.244.1.1\tnode-1"
