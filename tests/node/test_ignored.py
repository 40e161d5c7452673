from sidings.node.ignored import ignored_fields
from tests.node.pods import container, pod


def test_a_pod_of_what_is_supported_ignores_nothing() -> None:
    assert ignored_fields(pod(container(securityContext={"readOnlyRootFilesystem": True, "privileged": False}))) == []


def test_what_has_no_effect_is_named_by_its_path() -> None:
    made = pod(
        container(livenessProbe={"exec": {}}, lifecycle={"preStop": {}}, securityContext={"runAsUser": 1000}),
        initContainers=[container("i", readinessProbe={"exec": {}})],
        hostNetwork=True,
        securityContext={"fsGroup": 1000},
    )
    assert ignored_fields(made) == [
        "hostNetwork",
        "securityContext.fsGroup",
        "initContainers[i].readinessProbe",
        "containers[c].livenessProbe",
        "containers[c].lifecycle",
        "containers[c].securityContext.runAsUser",
    ]
