from sidings.node.health.probe import Kind, Probe, probes
from tests.node.pods import container


def test_absent_and_zero_fields_have_kubelets_defaults() -> None:
    handler = {"tcpSocket": {"port": 1}, "periodSeconds": 0, "timeoutSeconds": 5}
    assert list(probes(container(livenessProbe=handler))) == [Probe(Kind.LIVENESS, handler, 0, 10, 5, 1, 3)]


def test_all_three_kinds() -> None:
    made = container(livenessProbe={"a": 1}, readinessProbe={"a": 1}, startupProbe={"a": 1})
    assert [probe.kind for probe in probes(made)] == [Kind.STARTUP, Kind.LIVENESS, Kind.READINESS]
