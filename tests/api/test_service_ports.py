from sidings.api.service_ports import host_ports, protocol, target_port

POD = {
    "spec": {
        "containers": [
            {"name": "a"},
            {
                "name": "b",
                "ports": [
                    {"name": "dns", "containerPort": 53, "protocol": "UDP"},
                    {"name": "web", "containerPort": 8080},
                ],
            },
        ]
    }
}


def test_a_number_is_itself_and_the_services_own_where_none_is_stated() -> None:
    assert target_port({"port": 80, "targetPort": 8080}, POD) == 8080
    assert target_port({"port": 80}, POD) == 80


def test_a_name_is_that_of_a_container_port_of_the_same_protocol() -> None:
    assert target_port({"port": 80, "targetPort": "web"}, POD) == 8080
    assert target_port({"port": 53, "targetPort": "dns", "protocol": "UDP"}, POD) == 53
    assert target_port({"port": 53, "targetPort": "dns"}, POD) is None


def test_tcp_is_the_protocol_that_is_not_stated() -> None:
    assert (protocol({}), protocol({"protocol": "UDP"})) == ("TCP", "UDP")


def test_host_ports_of_a_pod() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 81, "hostPort": 8081, "protocol": "UDP"}]
    assert host_ports({"spec": {"containers": [{"name": "a", "ports": ports}]}}) == [("UDP", 8081, 81)]
