"""As whom containers run and with which rights: as root and as an ordinary user of the machine."""

from __future__ import annotations

import os
import re

import pytest

from sidings.node.sandbox.credentials import DEFAULT_CAPABILITIES, Credentials
from tests.node.sandboxes import Sandboxes

WHO = "id -u; id -g; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status"


def _told(text: str) -> dict[str, str]:
    user, group, *lines = text.splitlines()
    facts = dict(re.split(r":\s+", line) for line in lines)
    return {"user": user, "group": group, **facts}


async def _run(sandbox: Sandboxes, wanted: Credentials, script: str = WHO) -> tuple[int, str]:
    pod = await sandbox.start_pod()
    return await sandbox.shell(pod, script, credentials=wanted)


async def test_a_container_is_root_with_few_rights_by_default(sandbox: Sandboxes) -> None:
    code, text = await _run(sandbox, Credentials())
    told = _told(text)
    assert (code, told["user"], told["group"], told["NoNewPrivs"], told["Seccomp"]) == (0, "0", "0", "0", "0")
    assert int(told["CapEff"], 16) == int(told["CapBnd"], 16) == DEFAULT_CAPABILITIES


async def test_a_container_is_who_it_asks_to_be_without_any_right(sandbox: Sandboxes) -> None:
    _, text = await _run(sandbox, Credentials(user=1000, group=2000))
    told = _told(text)
    assert (told["user"], told["group"], int(told["CapEff"], 16)) == ("1000", "2000", 0)
    assert int(told["CapBnd"], 16) == DEFAULT_CAPABILITIES


async def test_a_group_alone_can_be_asked_for(sandbox: Sandboxes) -> None:
    _, text = await _run(sandbox, Credentials(group=2000))
    told = _told(text)
    assert (told["user"], told["group"], int(told["CapEff"], 16)) == ("0", "2000", DEFAULT_CAPABILITIES)


async def test_all_rights_can_be_dropped_and_some_added(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    for number, mask in enumerate((0, DEFAULT_CAPABILITIES | 1 << 14)):  # CAP_IPC_LOCK
        _, text = await sandbox.shell(pod, WHO, credentials=Credentials(capabilities=mask), name=f"c{number}")
        assert int(_told(text)["CapEff"], 16) == int(_told(text)["CapBnd"], 16) == mask


async def test_no_new_privileges(sandbox: Sandboxes) -> None:
    _, text = await _run(sandbox, Credentials(no_new_privileges=True))
    assert _told(text)["NoNewPrivs"] == "1"


@pytest.mark.parametrize("wanted", [Credentials(seccomp=True), Credentials(user=1000, seccomp=True)])
async def test_the_default_profile_refuses_what_a_container_has_no_business_with(
    sandbox: Sandboxes, wanted: Credentials
) -> None:
    script = f"{WHO}; unshare -U true 2>&1; python3 -c 'import threading; threading.Thread(target=print).start()'"
    code, text = await _run(sandbox, wanted, script)
    lines = text.rstrip("\n").splitlines()
    assert code == 0 and "Operation not permitted" in lines[6]
    assert _told("\n".join(lines[:6]))["Seccomp"] == "2"


async def test_standard_output_can_be_opened_by_its_user(sandbox: Sandboxes) -> None:
    assert await _run(sandbox, Credentials(user=1000, group=1000), "echo hello > /dev/stdout") == (0, "hello\n")


async def test_commands_of_a_session_are_the_same_user(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sh", "-c", "echo up; exec sleep 60", credentials=Credentials(user=1000, group=2000))
    await sandbox.said("up", pod)
    reader, writer = os.pipe()
    null = os.open(os.devnull, os.O_RDONLY)
    argv = ("sh", "-c", "id -u; id -g")
    async with sandbox.client.execute(pod, "c", argv, descriptors=(null, writer, writer)) as session:
        assert (await session.answer())["exit_code"] == 0
    os.close(writer)
    os.close(null)
    with os.fdopen(reader) as output:
        assert output.read() == "1000\n2000\n"


async def test_supplementary_groups_are_roots_to_give(sandbox: Sandboxes) -> None:
    if sandbox.as_user:
        pytest.skip("an ordinary user has no groups to give")
    _, text = await _run(sandbox, Credentials(user=1000, group=2000, groups=(3000, 4000)), "id -G")
    assert text == "2000 3000 4000\n"
