from dataclasses import replace
from pathlib import Path

import pytest

from sidings.node.container_engine import invocation
from sidings.node.container_engine.engine import ContainerEngine
from sidings.node.sandbox.spec import Bind, Container, ImageRun, Root

PODMAN = ContainerEngine("podman", "/usr/bin/podman", {"HOME": "/home/u"}, "/state", ("--flag",), 1024)
DOCKER = ContainerEngine("docker", "/usr/bin/docker", {}, "/state", (), 1024)
CONTAINER = Container(
    name="main",
    attempt=2,
    argv=(),
    environment={},
    directory="",
    root=Root(),
    scratch="/pods/u/containers/main/2",
    log="/pods/u/logs/main/2.log",
    log_max_bytes=1,
    log_max_files=1,
    image=ImageRun("sha256:1", "tiny@sha256:2", arguments=("a", "b"), flags=("--cpu-shares", "2")),
)


def run(container: Container = CONTAINER, *binds: Bind) -> invocation.Invocation:
    files = Path("/u/monitor.pid"), Path("/u/process.pid")
    return invocation.run_detached(PODMAN, "u", container, binds, "/shm/job", *files)


def text(made: invocation.Invocation) -> str:
    return " ".join(made.argv)


def test_podmans_container_is_on_our_pipes_and_in_our_namespaces() -> None:
    said = text(run())
    assert said.startswith(
        "/usr/bin/podman --flag run --detach --log-driver passthrough --conmon-pidfile /u/monitor.pid"
    )
    assert "--pidfile /u/process.pid" in said
    assert "--name sidings-u-main-2 --pull never --label sidings.dev/state=/state --label sidings.dev/pod-uid=u" in said
    assert "--network host --uts host --ipc host --no-hosts --volume /shm/job:/dev/shm" in said
    assert "--ulimit nofile=1024:1024" in said
    assert said.endswith("--cpu-shares 2 sha256:1 a b")


def test_dockers_container_joins_its_pods_pause_container() -> None:
    said = text(invocation.create(DOCKER, "u", CONTAINER, (), "/shm/job"))
    assert said.startswith("/usr/bin/docker create --name sidings-u-main-2 --pull never")
    assert "--network container:sidings-u --ipc container:sidings-u" in said
    assert "/dev/shm" not in said
    assert "passthrough" not in said


def test_a_command_replaces_the_images_entrypoint() -> None:
    assert CONTAINER.image is not None
    image = replace(CONTAINER.image, entrypoint="/bin/sh", arguments=("-c", "id"))
    assert text(run(replace(CONTAINER, image=image))).endswith("--entrypoint /bin/sh sha256:1 -c id")


def test_options_of_the_container() -> None:
    said = text(run(replace(CONTAINER, directory="/work", stdin=True, root=Root(read_only=True))))
    assert "--read-only --interactive --workdir /work" in said
    assert "--tty" in text(invocation.create(PODMAN, "u", replace(CONTAINER, terminal=True), (), "/shm"))


def test_values_of_variables_are_not_on_the_command_line() -> None:
    made = run(replace(CONTAINER, environment={"TOKEN": "secret\nline", "A": "1"}))
    assert "secret" not in text(made)
    assert "--env TOKEN --env A" in text(made)
    assert made.environment == {"HOME": "/home/u", "TOKEN": "secret\nline", "A": "1"}


@pytest.mark.parametrize("name", ["PATH", "LD_PRELOAD", "HOME", "XDG_RUNTIME_DIR", "CONTAINERS_CONF", "https_proxy"])
def test_variables_that_steer_the_engine_itself_do_not_reach_it(name: str) -> None:
    made = run(replace(CONTAINER, environment={name: "/x"}))
    assert f"--env {name}=/x" in text(made)
    assert made.environment == {"HOME": "/home/u"}


def test_binds() -> None:
    said = text(run(CONTAINER, Bind("/a", "/b"), Bind("/c", "/d", read_only=False)))
    assert "--volume /a:/b:ro --volume /c:/d:rw" in said


def test_a_path_that_an_engine_cannot_read_is_refused() -> None:
    with pytest.raises(invocation.Unmountable, match="no path with ':'"):
        run(CONTAINER, Bind("/a:b", "/c"))


def test_secrets_that_a_bind_shows_are_covered(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".netrc").write_text("x")
    hidden = Root(secrets=(*(f"{tmp_path}/{name}" for name in (".ssh", ".netrc", ".kube")), "/etc/shadow"))
    said = text(run(replace(CONTAINER, root=hidden), Bind(str(tmp_path), "/home")))
    assert "--tmpfs /home/.ssh:ro" in said
    assert "--volume /dev/null:/home/.netrc:ro" in said
    assert ".kube" not in said
    assert "shadow" not in said


def test_a_session() -> None:
    argv = invocation.execute(PODMAN, "c", ["ls", "-l"], terminal=True, mark="M=1")
    assert argv == ("/usr/bin/podman", "--flag", "exec", "--interactive", "--tty", "--env", "M=1", "c", "ls", "-l")


def test_removal_is_at_once_and_no_error_where_nothing_is_left() -> None:
    assert invocation.remove(PODMAN, "c")[2:] == ("rm", "--force", "--volumes", "--ignore", "--time", "0", "c")
    assert invocation.remove(DOCKER, "c")[1:] == ("rm", "--force", "--volumes", "c")


def test_our_containers_are_found_by_the_agents_directory() -> None:
    assert "label=sidings.dev/state=/state" in invocation.listed(PODMAN)
    assert '{{.ID}} {{index .Labels "sidings.dev/pod-uid"}}' in invocation.listed(PODMAN)
    assert '{{.ID}} {{.Label "sidings.dev/pod-uid"}}' in invocation.listed(DOCKER)


@pytest.mark.parametrize(("status", "begun"), [("created", False), ("running", True), ("exited", True)])
def test_states(status: str, begun: bool) -> None:
    state = invocation.parse_state(f"abc 12 {status} 137 true\n")
    assert (state.id, state.pid, state.exit_code, state.out_of_memory) == ("abc", 12, 137, True)
    assert state.has_begun is begun
