"""Which sandbox tier this machine allows: by starting a node's zygote, which builds a container's root once.

docs/tiers.md describes the tiers. What stands in the way is never read from a version or a setting; settings only
choose the remedy.
"""

from __future__ import annotations

from pathlib import Path

from sidings.clock import Clock
from sidings.host.doctor.finding import Finding, ok, problem
from sidings.host.doctor.surroundings import Surroundings
from sidings.node import shutdown
from sidings.node.errors import SandboxUnavailable
from sidings.node.sandbox.client import SandboxClient

CHECK = "sandbox"
_IN_CONTAINER = {
    "docker": "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined ...",
    "podman": "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL ...",
    "kubernetes": "kubectl edit the pod's owner: securityContext of the container with "
    "{procMount: Unmasked, seccompProfile: {type: Unconfined}}, and hostUsers: false in the pod",
}
_ALLOWING = {
    "kernel.apparmor_restrict_unprivileged_userns": "0",
    "kernel.unprivileged_userns_clone": "1",
    "user.max_user_namespaces": "15000",
}


async def examine(directory: Path, surroundings: Surroundings, clock: Clock) -> Finding:
    """Try it in ``directory``, which is empty and ours."""
    client = SandboxClient(directory)
    try:
        client.start_zygote()
    except SandboxUnavailable as error:
        return judge(error.cause, surroundings)
    await shutdown.stop_sandboxes(client, clock)
    return judge("", surroundings)


def judge(refused: str, surroundings: Surroundings) -> Finding:
    """``refused``: what the kernel did not allow, "" for nothing."""
    if not refused:
        who = "root" if surroundings.root else "an ordinary user, by a user namespace"
        return ok(CHECK, f"tier T1, full namespaces, as {who}: each pod has its own network, mounts and processes")
    return problem(
        CHECK, f"no tier: the kernel refuses the namespaces that a pod needs ({refused})", _remedy(surroundings)
    )


def _remedy(surroundings: Surroundings) -> str:
    settings = " ".join(f"{name}={_ALLOWING[name]}" for name in surroundings.restrictions)
    if surroundings.container:
        also = f"   (and on the host: sudo sysctl -w {settings})" if settings else ""
        return _IN_CONTAINER[surroundings.container] + also
    if surroundings.root:
        return f"sysctl -w {settings}" if settings else "docs/tiers.md says what the kernel must allow"
    return f"sudo sysctl -w {settings}   (or as root: sudo sidings up)" if settings else "sudo sidings up"
