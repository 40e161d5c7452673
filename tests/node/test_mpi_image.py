import base64
from pathlib import Path
from typing import Any

import pytest

from sidings.node import mpi_image
from sidings.node.errors import SecurityRefused
from sidings.node.sandbox.credentials import Credentials
from sidings.node.sandbox.spec import Bind
from sidings.node.security import Means
from sidings.node.sources import Sources

KEYS = "/home/mpiuser/.ssh"
MEMBER = {"name": "node", "volumeMounts": [{"name": "mpi-ssh-auth", "mountPath": KEYS}], "command": ["/usr/sbin/sshd"]}
OTHER = {"name": "node", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
POD = {"spec": {"volumes": [{"name": "mpi-ssh-auth", "secret": {"secretName": "s"}}], "containers": [OTHER, MEMBER]}}
SOURCES = Sources(secrets={"s": {"data": {"ssh-privatekey": base64.b64encode(b"secret\n").decode()}}})
ENVIRONMENT = {"PATH": "/env/bin:/usr/bin", "HOME": "/root", "MINE": "kept by me"}
OF_A_USER = Means(groups=False, own_user=1234)


def prepare(folder: Path, container: dict[str, Any], user: int = 1000) -> tuple[Bind, ...]:
    return mpi_image.prepare(folder, POD, container, SOURCES, ENVIRONMENT, Credentials(user), OF_A_USER)


def test_the_server_needs_no_root_and_knows_the_jobs_key_only() -> None:
    lines = mpi_image.server(KEYS, ENVIRONMENT).splitlines()
    assert {"Port 2222", "HostKey /etc/ssh/job_key", f"AuthorizedKeysFile {KEYS}/authorized_keys"} <= set(lines)
    assert lines[-1] == 'SetEnv "PATH=/env/bin:/usr/bin" "HOME=/root"'


def test_files_are_where_images_have_them(tmp_path: Path) -> None:
    folder = tmp_path / "ssh-node"
    for _ in range(2):  # a container that starts again finds them anew
        assert prepare(tmp_path, MEMBER) == (
            Bind(str(folder), "/etc/ssh"),
            Bind(f"{folder}/sshd_config", "/home/mpiuser/.sshd_config"),
            Bind(f"{folder}/empty", "/run/sshd"),
        )
    assert sorted(path.name for path in folder.iterdir()) == ["empty", "job_key", "ssh_config", "sshd_config"]
    assert "  Port 2222\n  IdentityFile /etc/ssh/job_key\n" in (folder / "ssh_config").read_text()


def test_the_key_is_its_users_alone(tmp_path: Path) -> None:
    prepare(tmp_path, MEMBER)
    key = tmp_path / "ssh-node" / "job_key"
    assert (key.read_bytes(), key.stat().st_mode & 0o777) == (b"secret\n", 0o600)


def test_containers_without_keys_keep_what_the_machine_has(tmp_path: Path) -> None:
    assert prepare(tmp_path, OTHER, user=0) == ()
    assert list(tmp_path.iterdir()) == []


def test_the_home_is_where_the_keys_are() -> None:
    assert mpi_image.login_home(POD) == "/home/mpiuser"
    assert mpi_image.login_home({"spec": {"containers": [OTHER]}}) == ""


def test_a_server_that_can_let_nobody_in_is_not_started(tmp_path: Path) -> None:
    with pytest.raises(SecurityRefused) as refused:
        prepare(tmp_path, MEMBER, user=0)
    assert "set securityContext.runAsUser: 1000" in (refused.value.cause or "")
    nothing_of_its_own = Means(users=False, groups=False, network=False)
    assert "share the machine's network" in mpi_image.obstacle(MEMBER, Credentials(), nothing_of_its_own)


def test_a_launcher_starts_wherever_it_is() -> None:
    launcher = MEMBER | {"command": ["mpirun", "python", "train.py"]}
    assert mpi_image.obstacle(launcher, Credentials(), OF_A_USER) == ""
    assert mpi_image.obstacle(MEMBER, Credentials(), Means()) == ""
