import pytest

from sidings.api.objects import Object
from sidings.node.container_engine.flags import flags
from sidings.node.container_engine.image import Image
from sidings.node.errors import ConfigMissing
from sidings.node.gpus.source import Device, Unit

IMAGE = Image("sha256:1", "sha256:1")


def pod(container: Object | None = None, **spec: object) -> Object:
    return {
        "metadata": {"name": "p", "namespace": "ns", "uid": "u-1"},
        "spec": {"containers": [{"name": "main", **(container or {})}], **spec},
    }


def told(made: Object, image: Image = IMAGE, units: tuple[Unit, ...] = ()) -> str:
    return " ".join(flags(made, made["spec"]["containers"][0], image, units))


def test_limits_are_kubelets_numbers() -> None:
    made = pod({"resources": {"limits": {"cpu": "500m", "memory": "64Mi"}, "requests": {"cpu": "250m"}}})
    assert told(made).startswith(
        "--cpu-shares 256 --cpu-period 100000 --cpu-quota 50000 --memory 67108864 --memory-swap 67108864"
    )


def test_a_container_without_limits_has_the_least_share() -> None:
    assert "--cpu-shares 2 --label" in told(pod())
    assert "--memory" not in told(pod())


def test_gpus_are_cdi_devices_by_uuid() -> None:
    units = tuple(
        Unit(uuid, Device(uuid, number, number, "H200", 1, (9, 0), str(number)))
        for number, uuid in enumerate(("GPU-1", "GPU-2"))
    )
    assert "--device nvidia.com/gpu=GPU-1 --device nvidia.com/gpu=GPU-2" in told(pod(), units=units)
    assert "--device" not in told(pod())


def test_people_find_a_pods_containers_by_the_labels_of_clusters() -> None:
    text = told(pod())
    assert "--label io.kubernetes.pod.name=p --label io.kubernetes.pod.namespace=ns" in text
    assert "--label io.kubernetes.container.name=main" in text


def test_the_containers_security_context_goes_before_the_pods() -> None:
    made = pod(
        {"securityContext": {"runAsUser": 7, "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}},
        securityContext={"runAsUser": 5, "runAsGroup": 6, "fsGroup": 8, "supplementalGroups": [9]},
    )
    assert "--user 7:6 --group-add 9 --group-add 8 --cap-drop ALL --cap-add NET_BIND_SERVICE" in told(made)


def test_a_group_alone_keeps_the_images_user() -> None:
    made = pod(securityContext={"runAsGroup": 6})
    assert "--user app:6" in told(made, Image("i", "i", user="app:app"))
    assert "--user 0:6" in told(made)


def test_privileges() -> None:
    made = pod(
        {
            "securityContext": {
                "privileged": True,
                "allowPrivilegeEscalation": False,
                "seccompProfile": {"type": "Unconfined"},
            }
        }
    )
    assert "--privileged --security-opt no-new-privileges --security-opt seccomp=unconfined" in told(made)


@pytest.mark.parametrize(
    ("user", "of_image", "refusal"),
    [
        (0, "", "container's runAsUser breaks non-root policy"),
        (None, "", "container has runAsNonRoot and image will run as root"),
        (None, "root", "container has runAsNonRoot and image will run as root"),
        (None, "0:0", "container has runAsNonRoot and image will run as root"),
        (None, "app", "image has non-numeric user (app), cannot verify user is non-root"),
    ],
)
def test_run_as_non_root_is_refused_in_kubelets_words(user: int | None, of_image: str, refusal: str) -> None:
    context = {"runAsNonRoot": True} | ({} if user is None else {"runAsUser": user})
    with pytest.raises(ConfigMissing, match=refusal.replace("(", r"\(").replace(")", r"\)")):
        told(pod({"securityContext": context}), Image("i", "i", user=of_image))


@pytest.mark.parametrize(("user", "of_image"), [(1000, ""), (None, "1000"), (None, "1000:0")])
def test_run_as_non_root_is_kept_by_another_user(user: int | None, of_image: str) -> None:
    context = {"runAsNonRoot": True} | ({} if user is None else {"runAsUser": user})
    assert told(pod({"securityContext": context}), Image("i", "i", user=of_image))
