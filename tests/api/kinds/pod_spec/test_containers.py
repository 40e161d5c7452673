import pytest

from sidings.api.kinds.pod_spec import default_pod_spec
from sidings.api.kinds.pod_spec.containers import validate


def errors(*containers, init=()):
    spec = {"containers": list(containers), "initContainers": list(init)}
    default_pod_spec(spec)
    return [str(error) for error in validate(spec, "spec", {})]


@pytest.mark.parametrize(
    ("container", "text"),
    [
        ({"image": "i"}, "spec.containers[0].name: Required value"),
        ({"name": "c"}, "spec.containers[0].image: Required value"),
        (
            {"name": "c", "image": "i "},
            'spec.containers[0].image: Invalid value: "i ": must not have leading or trailing whitespace',
        ),
        (
            {"name": "c", "image": "i", "ports": [{"protocol": "TCP"}]},
            "spec.containers[0].ports[0].containerPort: Required value",
        ),
        (
            {"name": "c", "image": "i", "ports": [{"containerPort": 1, "protocol": "HTTP"}]},
            'spec.containers[0].ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
        ),
        (
            {"name": "c", "image": "i", "livenessProbe": {}},
            "spec.containers[0].livenessProbe: Required value: must specify a handler type",
        ),
        (
            {"name": "c", "image": "i", "livenessProbe": {"periodSeconds": 1}},
            "spec.containers[0].livenessProbe: Required value: must specify a handler type",
        ),
        (
            {"name": "c", "image": "i", "lifecycle": {"preStop": {"exec": {}}}},
            "spec.containers[0].lifecycle.preStop.exec.command: Required value",
        ),
    ],
)
def test_one_container(container, text):
    assert errors(container) == [text]


def test_names_are_unique_over_both_lists():
    main, init = {"name": "c", "image": "i"}, {"name": "c", "image": "i"}
    assert errors(main, init=[init]) == ['spec.initContainers[0].name: Duplicate value: "c"']


def test_only_init_containers_that_stay_may_have_probes():
    probe = {"exec": {"command": ["true"]}}
    init = {"name": "i", "image": "i", "startupProbe": probe}
    main = {"name": "c", "image": "i"}
    assert errors(main, init=[init]) == [
        "spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without "
        "restartPolicy=Always"
    ]
    assert errors(main, init=[{**init, "restartPolicy": "Always"}]) == []


def test_a_port_of_the_host_is_one_containers():
    ports = [{"containerPort": 80, "hostPort": 99}]
    first, second = ({"name": name, "image": "i", "ports": ports} for name in "ab")
    assert errors(first, second) == ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//99"']
