"""What a container sees, and that the host never changes. Real namespaces, as root and as an ordinary user."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidings.node.errors import SandboxFailed
from sidings.node.sandbox.spec import Bind, MemoryVolume
from tests.node.sandboxes import Sandboxes

AWKWARD = (
    "/workspace/scripts", "/mnt/local-cache", "/etc/kf/config", "/usr/share/newdir/y", "/opt/ml/model", "/data/in",
    "/var/run/secrets/kubernetes.io/serviceaccount", "/usr/lib/python3/dist-packages/extra",
)  # fmt: skip


def _volume(sandbox: Sandboxes, name: str = "v") -> Path:
    folder = sandbox.folder(sandbox.directory / name)
    (folder / "file").write_text(name)
    return folder


async def test_volumes_appear_at_paths_that_the_host_does_not_have(sandbox: Sandboxes) -> None:
    """Failure modes 1 (a mount below /var/run, a link to /run) and 4 (below what others own) of the prototype."""
    volume = _volume(sandbox)
    absent = [path for path in AWKWARD if not Path(path).exists()]
    pod = await sandbox.start_pod()
    binds = tuple(Bind(str(volume), path) for path in AWKWARD)
    code, text = await sandbox.output(pod, "cat", *(f"{path}/file" for path in AWKWARD), binds=binds)
    assert (code, text) == (0, "v" * len(AWKWARD))
    assert [path for path in AWKWARD if not Path(path).exists()] == absent, "the host was changed"


async def test_a_directory_that_got_a_mount_point_keeps_its_other_entries(sandbox: Sandboxes) -> None:
    """Failure mode 3 of the prototype, which used overlays: an ordinary user cannot have one on /."""
    volume = _volume(sandbox)
    pod = await sandbox.start_pod()
    code, text = await sandbox.shell(
        pod,
        "ls -A /etc | sort",
        binds=(Bind(str(volume), "/etc/new-folder"), Bind(str(volume / "file"), "/etc/new-file")),
    )
    assert code == 0
    assert set(text.split()) == {
        *(path.name for path in Path("/etc").iterdir()),
        "new-folder",
        "new-file",
        "hosts",
        "resolv.conf",
    }


async def test_host_software_is_read_only_also_after_a_mount_point_was_made_in_it(sandbox: Sandboxes) -> None:
    """Failure mode 2 of the prototype: entries that are bound one by one were root's to write."""
    volume = _volume(sandbox)
    pod = await sandbox.start_pod()
    script = (
        "for p in /usr/x /usr/bin/x /usr/share/doc/x /etc/passwd; do touch $p 2>/dev/null && echo wrote $p; done; true"
    )
    code, text = await sandbox.shell(
        pod, script, binds=(Bind(str(volume), "/usr/new/y"), Bind(str(volume), "/usr/bin/new"))
    )
    # A directory that was covered to hold a mount point is the pod's own; what is in it is not.
    assert (code, text) == (0, "wrote /usr/x\nwrote /usr/bin/x\n")
    assert not Path("/usr/x").exists() and not Path("/usr/bin/x").exists()


async def test_private_places_are_writable_and_nobody_elses(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    places = "/workspace /root /tmp /var/tmp /run /dev/shm"
    script = f"pwd; cd; pwd; for p in {places}; do touch $p/mine || echo no $p; done; ls -A /tmp"
    assert await sandbox.shell(pod, script) == (0, "/workspace\n/root\nmine\n")
    assert not Path("/tmp/mine").exists()
    assert (await sandbox.shell(pod, "ls -A /workspace /root /tmp", name="other"))[1].split() == [
        "/root:", "/tmp:", "/workspace:"
    ]  # fmt: skip


async def test_devices_are_few_and_proc_and_sys_are_the_pods(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    _, devices = await sandbox.shell(pod, "ls /dev; head -c1 /dev/zero | wc -c; ls /sys/class/net")
    assert "vda" not in devices and "kvm" not in devices and "mem" not in devices.split()
    assert {"null", "zero", "random", "shm", "pts", "1", "eth0", "lo"} <= set(devices.split())
    script = "exec 2>&1; (echo x > /proc/sys/kernel/hostname) || echo refused; head -c1 /proc/kcore; echo /proc/[0-9]*"
    _, text = await sandbox.shell(pod, script, name="other")
    assert text.splitlines()[1] == "refused"
    assert set(text.splitlines()[-1].split()) <= {f"/proc/{number}" for number in range(1, 8)}


async def test_homes_state_and_masked_paths_are_hidden(sandbox: Sandboxes) -> None:
    volume = _volume(sandbox)
    sandbox.folder(volume / ".ssh")
    (volume / ".ssh" / "id").write_text("secret")
    (volume / "token").write_text("secret")
    pod = await sandbox.start_pod()
    script = "ls -A /home; ls -A /host /host/.ssh; cat /host/token; ls " + str(sandbox.directory)
    binds = (Bind(str(volume), "/host", read_only=False),)
    _, text = await sandbox.shell(pod, script, binds=binds, masked=("/host/.ssh", "/host/token"))
    assert "secret" not in text
    assert text.count("No such file or directory") == 1, "the state directory lies in the private /tmp"
    _, text = await sandbox.shell(
        pod,
        "umount /host/.ssh; unshare -Urm umount /host/.ssh; ls /host/.ssh",
        binds=binds,
        masked=("/host/.ssh",),
        name="d",
    )
    assert "id" not in text.split()


async def test_a_folder_below_a_hidden_home_or_tmp_can_be_shown(sandbox: Sandboxes) -> None:
    volume = _volume(sandbox)
    pod = await sandbox.start_pod()
    binds = (Bind(str(volume), "/home/ada/env"), Bind(str(volume), "/tmp/env"), Bind(str(volume), "/root/.local/env"))
    assert await sandbox.shell(pod, "cat /home/ada/env/file /tmp/env/file ~/.local/env/file", binds=binds) == (0, "vvv")


async def test_mounts_inside_mounts_whatever_their_order(sandbox: Sandboxes) -> None:
    outer, inner = _volume(sandbox, "outer"), _volume(sandbox, "inner")
    pod = await sandbox.start_pod()
    binds = (Bind(str(inner), "/data/deep/in"), Bind(str(outer), "/data"))
    assert await sandbox.shell(pod, "cat /data/file /data/deep/in/file", binds=binds) == (0, "outerinner")


async def test_a_mount_in_a_read_only_volume_changes_no_volume(sandbox: Sandboxes) -> None:
    outer, inner = _volume(sandbox, "outer"), _volume(sandbox, "inner")
    pod = await sandbox.start_pod()
    binds = (Bind(str(outer), "/data"), Bind(str(inner / "file"), "/data/extra"))
    assert await sandbox.shell(pod, "cat /data/file /data/extra", binds=binds) == (0, "outerinner")
    assert sorted(path.name for path in outer.iterdir()) == ["file"]


async def test_a_link_in_a_volume_leads_a_mount_to_the_pods_own_path(sandbox: Sandboxes) -> None:
    """Failure mode 1 of the prototype.

    A mount point below a link that a workload left is made where the link leads in the pod, not on the host.
    """
    volume = _volume(sandbox)
    (volume / "link").symlink_to("/etc")
    pod = await sandbox.start_pod()
    binds = (Bind(str(volume), "/data", read_only=False), Bind(str(volume / "file"), "/data/link/made/file"))
    assert await sandbox.shell(pod, "cat /data/link/made/file /etc/made/file", binds=binds) == (0, "vv")
    assert not Path("/etc/made").exists()


async def test_a_link_to_what_only_the_host_has_is_refused(sandbox: Sandboxes) -> None:
    volume, target = _volume(sandbox), sandbox.folder(sandbox.directory / "outside")
    (volume / "link").symlink_to(target)
    pod = await sandbox.start_pod()
    binds = (Bind(str(volume), "/data", read_only=False), Bind(str(volume / "file"), "/data/link/made/file"))
    with pytest.raises(SandboxFailed, match="/data/link is a symbolic link that leads nowhere in the pod"):
        await sandbox.run(pod, "true", binds=binds)
    assert list(target.iterdir()) == []


async def test_read_only_volumes_are_read_only_and_others_write_through(sandbox: Sandboxes) -> None:
    volume = _volume(sandbox)
    pod = await sandbox.start_pod()
    binds = (Bind(str(volume), "/ro"), Bind(str(volume), "/rw", read_only=False))
    _, text = await sandbox.shell(pod, "touch /ro/x || echo refused; echo y > /rw/written", binds=binds)
    assert "refused" in text.splitlines()
    assert (volume / "written").read_text() == "y\n"


async def test_sub_paths_are_followed_inside_the_volume_and_made_where_missing(sandbox: Sandboxes) -> None:
    volume = _volume(sandbox)
    (volume / "inside").symlink_to("file")
    pod = await sandbox.start_pod()
    binds = (
        Bind(str(volume), "/a", sub_path="inside"),
        Bind(str(volume), "/b", sub_path="new/folder", read_only=False),
    )
    assert await sandbox.shell(pod, "cat /a; touch /b/x", binds=binds) == (0, "v")
    assert (volume / "new" / "folder" / "x").exists()


@pytest.mark.parametrize("link", ["/etc", "../..", "../outside"])
async def test_a_sub_path_that_leaves_its_volume_through_a_link_is_refused(sandbox: Sandboxes, link: str) -> None:
    volume = _volume(sandbox)
    (volume / "link").symlink_to(link)
    pod = await sandbox.start_pod()
    with pytest.raises(SandboxFailed, match="cannot mount /a, subPath 'link/x': it leads out of its volume"):
        await sandbox.run(pod, "true", binds=(Bind(str(volume), "/a", sub_path="link/x"),))
    assert sandbox.attempts(pod) == [], "a root that cannot be built is no attempt"


async def test_a_missing_working_directory_is_made_private(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    assert await sandbox.shell(pod, "pwd; touch x", directory="/opt/made/here") == (0, "/opt/made/here\n")
    assert not Path("/opt/made").exists()


async def test_memory_volumes_are_shared_by_the_pods_containers_and_limited(sandbox: Sandboxes) -> None:
    folder = sandbox.folder(sandbox.directory / "memory")
    pod = await sandbox.start_pod(memory_volumes=(MemoryVolume(str(folder), 1024 * 1024),))
    binds = (Bind(str(folder), "/cache", read_only=False),)
    script = "head -c 500000 /dev/zero > /cache/a && ! head -c 2000000 /dev/zero 2>/dev/null > /cache/b"
    assert (await sandbox.shell(pod, script, binds=binds))[0] == 0
    assert await sandbox.shell(pod, "wc -c < /cache/a", binds=binds, name="d") == (0, "500000\n")
    assert list(folder.iterdir()) == [], "the host sees an empty directory"


async def test_pods_of_one_job_share_memory_and_others_do_not(sandbox: Sandboxes) -> None:
    first, second, stranger = [await sandbox.start_pod(n, group) for n, group in ((1, "a"), (2, "a"), (3, "b"))]
    await sandbox.shell(first, "echo hello > /dev/shm/x")
    assert await sandbox.shell(second, "cat /dev/shm/x") == (0, "hello\n")
    assert await sandbox.shell(stranger, "ls -A /dev/shm") == (0, "")
