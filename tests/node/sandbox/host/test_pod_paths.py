from pathlib import Path

from sidings.node.sandbox.host import pod_paths
from sidings.node.sandbox.spec import Bind, Container, Root


def made(*binds: Bind, directory: str = "/workspace", hidden: tuple[str, ...] = ("/root", "/home")) -> Container:
    root = Root(hidden=hidden, binds=binds, masked=("/home/u/.sidings", "/etc/shadow"))
    return Container("c", 0, ("true",), {}, directory, root, "/s/c", "/s/log", 0, 0)


def test_volumes_come_before_what_they_lie_in() -> None:
    moves = pod_paths.paths(
        made(Bind("/claims/v", "/workspace/data"), Bind("/env", "/env")), [Bind("/f/hosts", "/etc/hosts")]
    )
    assert pod_paths.moved("/workspace/data/x", moves) == "/claims/v/x"
    assert pod_paths.moved("/workspace/x", moves) == "/s/c/work/x"
    assert pod_paths.moved("/workspace2", moves) == "/workspace2"
    assert pod_paths.moved("/env//bin/./python", moves) == "/env/bin/python"
    assert pod_paths.moved("/etc/hosts", moves) == "/f/hosts"
    assert pod_paths.moved("train.py", moves) == "train.py"
    assert list(pod_paths.nested(moves, "/s/c")) == [("/s/c/work/data", "/claims/v")]


def test_run_has_two_names() -> None:
    moves = pod_paths.paths(made(Bind("/token", "/var/run/secrets/x"), Bind("/other", "/run/y", sub_path="z")), [])
    assert pod_paths.moved("/run/secrets/x", moves) == "/token"
    assert pod_paths.moved("/var/run/y", moves) == "/other/z"


def test_a_working_directory_that_is_nowhere_is_the_containers_own() -> None:
    assert pod_paths.paths(made(directory="/no/such"), [])["/no/such"] == "/s/c/cwd"
    assert "/usr" not in pod_paths.paths(made(directory="/usr"), [])


def test_what_is_closed_leaves_its_neighbours_open(tmp_path: Path) -> None:
    for name in ("usr/bin", "srv/secret", "srv/open", "root"):
        (tmp_path / name).mkdir(parents=True)
    closed = {f"{tmp_path}/srv/secret", f"{tmp_path}/root"}
    assert list(pod_paths.visible(tmp_path, closed)) == [f"{tmp_path}/srv/open", f"{tmp_path}/usr"]


def test_only_what_may_be_written_is_writable() -> None:
    container = made(Bind("/claims/v", "/data", read_only=False), Bind("/claims/r", "/ro"))
    writable = pod_paths.writable(container, [])
    assert "/claims/v" in writable and "/claims/r" not in writable
    assert not any(path in ("/", "/tmp", "/etc", "/dev") for path in writable)
    assert "/claims/r" in pod_paths.readable(container, [], Path("/proc/self/task"))
