import pytest

from sidings.api.kinds.pod_spec import probes

EXEC = {"exec": {"command": ["true"]}}


def complaints(*, may_have=True, grace=30, **fields):
    return [str(error) for error in probes.validate(fields, "c", may_have=may_have, grace=grace)]


def test_good_ones():
    http = {"httpGet": {"path": "/", "port": "web", "scheme": "HTTP"}, "successThreshold": 3}
    hooks = {"preStop": {"sleep": {"seconds": 30}}, "postStart": {"tcpSocket": {"port": 80}}}
    assert (
        complaints(livenessProbe=EXEC, readinessProbe=http, lifecycle=hooks, startupProbe={"grpc": {"port": 1}}) == []
    )


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("livenessProbe", {}, "c.livenessProbe: Required value: must specify a handler type"),
        ("livenessProbe", {"exec": {}}, "c.livenessProbe.exec.command: Required value"),
        (
            "livenessProbe",
            {**EXEC, "successThreshold": 2},
            "c.livenessProbe.successThreshold: Invalid value: 2: must be 1",
        ),
        (
            "startupProbe",
            {**EXEC, "failureThreshold": -1},
            "c.startupProbe.failureThreshold: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            "livenessProbe",
            {**EXEC, "terminationGracePeriodSeconds": 0},
            "c.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
        ),
        (
            "readinessProbe",
            {**EXEC, "terminationGracePeriodSeconds": 1},
            "c.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readin",
        ),
        (
            "readinessProbe",
            {"tcpSocket": {"port": 0}},
            "c.readinessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive",
        ),
        (
            "readinessProbe",
            {"httpGet": {"path": "/", "port": 1, "scheme": "FTP"}},
            'c.readinessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
        ),
        ("lifecycle", {"preStop": {}}, "c.lifecycle.preStop: Required value: must specify a handler type"),
        (
            "lifecycle",
            {"preStop": {**EXEC, "sleep": {"seconds": 1}}},
            "c.lifecycle.preStop.sleep: Forbidden: may not specify more than 1 handler type",
        ),
        (
            "lifecycle",
            {"preStop": {"sleep": {"seconds": 31}}},
            "c.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than termination",
        ),
    ],
)
def test_what_is_refused(field, value, complaint):
    (found,) = complaints(**{field: value})
    assert found.startswith(complaint)


def test_a_container_that_ends_has_none():
    assert complaints(may_have=False, livenessProbe=EXEC) == [
        "c.livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"
    ]
