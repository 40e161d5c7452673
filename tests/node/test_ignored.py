from sidings.node.ignored import ignored_fields
from tests.node.pods import container, pod


def test_a_pod_of_what_is_supported_ignores_nothing() -> None:
    assert ignored_fields(pod(container(securityContext={"readOnlyRootFilesystem": True, "privileged": False}))) == []


def test_what_has_no_effect_is_named_by_its_path() -> None:
    made = pod(
        container(securityContext={"runAsUser": 1000}),
        initContainers=[container("i", securityContext={"privileged": True})],
        hostNetwork=True,
        securityContext={"fsGroup": 1000},
    )
    assert ignored_fields(made) == [
        "hostNetwork",
        "securityContext.fsGroup",
        "initContainers[i].securityContext.privileged",
        "containers[c].securityContext.runAsUser",
    ]
