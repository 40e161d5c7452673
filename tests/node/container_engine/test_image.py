import json

import pytest

from sidings.node.container_engine import image

LONG = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("busybox", "docker.io/library/busybox:latest"),
        ("busybox:1.36", "docker.io/library/busybox:1.36"),
        ("pytorch/pytorch:2.7", "docker.io/pytorch/pytorch:2.7"),
        ("quay.io/modh/training", "quay.io/modh/training:latest"),
        ("localhost/mine", "localhost/mine:latest"),
        ("localhost:5000/mine:a", "localhost:5000/mine:a"),
        ("MyRegistry/mine", "MyRegistry/mine:latest"),
        ("myregistry/mine", "docker.io/myregistry/mine:latest"),
        (f"quay.io/a/b@{LONG}", f"quay.io/a/b@{LONG}"),
        (f"quay.io/a/b:1@{LONG}", f"quay.io/a/b:1@{LONG}"),
    ],
)
def test_a_reference_is_spelled_out_as_a_cluster_reads_it(written: str, full: str) -> None:
    assert image.is_reference(written)
    assert image.full_name(written) == full


@pytest.mark.parametrize("text", ["", "Bad:::x", "Upper", "a b", "x:", "x@sha256:12", "a" * 64, "-x", "x/"])
def test_what_names_no_image(text: str) -> None:
    assert not image.is_reference(text)


def test_podmans_answer() -> None:
    text = json.dumps(
        [
            {
                "Id": "ab" * 32,
                "RepoDigests": ["localhost/tiny@sha256:1"],
                "Size": 12,
                "User": "app",
                "Config": {"User": "app", "Entrypoint": ["/bin/sh", "-c"], "Cmd": ["id"], "StopSignal": "SIGINT"},
            }
        ]
    )
    found = image.parse_inspection(text)
    assert found.id == "sha256:" + "ab" * 32
    assert found.reference == "localhost/tiny@sha256:1"
    assert (found.size, found.user, found.stop_signal) == (12, "app", "SIGINT")
    assert found.entrypoint == ("/bin/sh", "-c")
    assert found.command == ("id",)


def test_an_image_that_was_never_at_a_registry_is_named_by_its_id() -> None:
    found = image.parse_inspection(json.dumps([{"Id": LONG, "RepoDigests": [], "Config": None}]))
    assert found.reference == LONG
    assert found.entrypoint == ()
