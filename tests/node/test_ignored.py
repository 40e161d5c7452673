from sidings.node.ignored import ignored_fields
from sidings.node.security import Means
from tests.node.pods import container, pod


def test_a_pod_of_what_is_supported_ignores_nothing() -> None:
    context = {"readOnlyRootFilesystem": True, "privileged": False, "runAsUser": 1000}
    assert ignored_fields(pod(container(securityContext=context), hostNetwork=True), Means()) == []


def test_what_has_no_effect_is_named_by_its_path() -> None:
    made = pod(
        container(securityContext={"seLinuxOptions": {"level": "s0"}}),
        runtimeClassName="kata",
        securityContext={"supplementalGroups": [1000]},
    )
    assert ignored_fields(made, Means(groups=False)) == [
        "runtimeClassName",
        "securityContext.supplementalGroups",
        "containers[c].securityContext.seLinuxOptions",
    ]
    assert ignored_fields(made, Means(groups=False), engine=True) == ["runtimeClassName"]


def test_memory_is_a_disk_where_pods_have_no_mounts() -> None:
    made = pod(container(), volumes=[{"name": "fast", "emptyDir": {"medium": "Memory"}}, {"name": "v", "emptyDir": {}}])
    assert ignored_fields(made, Means()) == []
    assert ignored_fields(made, Means(users=False, groups=False, network=False)) == ["volumes[fast].emptyDir.medium"]
