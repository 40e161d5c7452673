"""Which sandbox tier this machine allows: by starting a node's zygote, which builds a container's root once.

docs/tiers.md describes the tiers. What stands in the way is never read from a version or a setting; settings only
choose the remedy.
"""

from __future__ import annotations

from pathlib import Path

from sidings.clock import Clock
from sidings.host.doctor.finding import Finding, ok, problem, warning
from sidings.host.doctor.surroundings import Surroundings
from sidings.node import shutdown
from sidings.node.errors import SandboxUnavailable
from sidings.node.sandbox import zygote
from sidings.node.sandbox.client import SandboxClient
from sidings.node.sandbox.tier import Kind, Tier

CHECK = "sandbox"
_IN_CONTAINER = {
    "docker": "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined ...",
    "podman": "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL ...",
    "kubernetes": "kubectl edit the pod's owner: securityContext of the container with "
    "{procMount: Unmasked, seccompProfile: {type: Unconfined}}, and hostUsers: false in the pod",
}
_COMPILER = "apt-get install gcc libc6-dev"
_ALLOWING = {
    "kernel.apparmor_restrict_unprivileged_userns": "0",
    "kernel.unprivileged_userns_clone": "1",
    "user.max_user_namespaces": "15000",
}


async def examine(nodes: Path, scratch: Path, surroundings: Surroundings, clock: Clock) -> Finding:
    """What the pods of ``nodes`` stand on, where there are any; else it is tried in ``scratch``, empty and ours."""
    if tier := zygote.tier_in_force(nodes):
        return judge(tier, surroundings)
    client = SandboxClient(scratch)
    try:
        client.start_zygote()
    except SandboxUnavailable as error:
        return problem(CHECK, f"no tier: {error.what} ({error.cause})", _remedy(surroundings))
    await shutdown.stop_sandboxes(client, clock)
    return judge(client.tier, surroundings)


def judge(tier: Tier, surroundings: Surroundings) -> Finding:
    """What the tier gives, and what would give a better one."""
    if tier.kind == Kind.NAMESPACES:
        return ok(CHECK, f"{tier.message}, as {'root' if surroundings.root else 'an ordinary user'}")
    remedy = _remedy(surroundings)
    if tier.kind == Kind.ENVIRONMENT:
        remedy = f"{'' if surroundings.root else 'sudo '}{_COMPILER}   (gives tier T2; for tier T1: {remedy})"
    return warning(CHECK, tier.message, remedy)


def _remedy(surroundings: Surroundings) -> str:
    settings = " ".join(f"{name}={_ALLOWING[name]}" for name in surroundings.restrictions)
    if surroundings.container:
        also = f"   (and on the host: sudo sysctl -w {settings})" if settings else ""
        return _IN_CONTAINER[surroundings.container] + also
    if surroundings.root:
        return f"sysctl -w {settings}" if settings else "docs/tiers.md says what the kernel must allow"
    return f"sudo sysctl -w {settings}   (or as root: sudo sidings up)" if settings else "sudo sidings up"
