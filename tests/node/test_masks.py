from pathlib import Path

from sidings.node import masks
from sidings.node.sandbox.spec import Bind

HOME = Path("/home/ada")


def test_credentials_state_and_what_variables_name_are_secret() -> None:
    environment = {"KUBECONFIG": "/etc/k1:/etc/k2", "HF_HOME": "/data/hf", "DOCKER_CONFIG": "relative/ignored"}
    found = masks.secret_paths(HOME, environment, [Path("/var/lib/sidings")])
    for path in (
        "/var/lib/sidings", "/home/ada/.ssh", "/home/ada/.aws", "/home/ada/.kube", "/home/ada/.config/gcloud",
        "/home/ada/.netrc", "/home/ada/.git-credentials", "/home/ada/.cache/huggingface/token", "/etc/k1", "/etc/k2",
        "/data/hf/token", "/etc/shadow",
    ):  # fmt: skip
        assert Path(path) in found
    assert all(path.is_absolute() for path in found)


def test_homes_are_hidden_wherever_they_are() -> None:
    assert masks.homes(HOME) == (Path("/root"), Path("/home"))
    assert masks.homes(Path("/")) == masks.homes(Path("/data")) == (Path("/root"), Path("/home"))
    assert masks.homes(Path("/data/ada")) == (Path("/root"), Path("/home"), Path("/data/ada"))


def test_a_secret_is_masked_again_inside_what_is_bound_from_above_it() -> None:
    secrets = [HOME / ".ssh", Path("/state")]
    binds = [Bind("/home", "/mnt/home"), Bind("/home/ada/project", "/home/ada/project"), Bind("/", "/host")]
    assert masks.masks(secrets, binds) == (
        "/home/ada/.ssh",
        "/state",
        "/mnt/home/ada/.ssh",
        "/host/home/ada/.ssh",
        "/host/state",
        "/host/proc",
        "/host/sys",
    )


def test_a_sub_path_counts_as_the_source() -> None:
    assert masks.masks([HOME / ".ssh"], [Bind("/home", "/x", sub_path="ada")]) == ("/home/ada/.ssh", "/x/.ssh")


def test_what_is_the_kernels_is_hidden_in_binds_only() -> None:
    assert masks.masks([], [Bind("/", "/host")]) == ("/host/proc", "/host/sys")
    assert masks.protecting(Path("/proc/1/root"), []) == Path("/proc")


def test_a_bind_strays_by_links_but_not_by_name() -> None:
    state = ["/home/ada/state"]
    assert masks.strayed("/home/ada", "/home/ada/state/pods", state) == "/home/ada/state"
    assert masks.strayed("/data/link", "/proc/1", state) == "/proc"
    assert masks.strayed("/home/ada/state/pods/1/volumes/v", "/home/ada/state/pods/1/volumes/v/x", state) == ""
    assert masks.strayed("/home/ada", "/home/ada/statement", state) == ""


def test_protecting_finds_the_secret_a_path_lies_in() -> None:
    secrets = [Path("/state")]
    assert masks.protecting(Path("/state/pods"), secrets) == Path("/state")
    assert masks.protecting(Path("/state"), secrets) == Path("/state")
    assert masks.protecting(Path("/statement"), secrets) is None
    assert masks.protecting(Path("/"), secrets) is None
