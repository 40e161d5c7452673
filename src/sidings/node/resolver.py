"""A pod's resolv.conf, by ``dnsPolicy`` and ``dnsConfig``: pure, kubelet's rules (v1.36).

Whatever the policy, the machine's own resolvers are asked through the pods' name server: their addresses are often the
machine's loopback, which is not the pod's. The machine's search domains are left out of ``ClusterFirst``, where kubelet
adds them: every name of a pod that is still to come would be asked for outside as well.
"""

from __future__ import annotations

from collections.abc import Iterable

from sidings.api.objects import Object, namespace_of
from sidings.node import network
from sidings.node.dns import DOMAIN

MOST_NAME_SERVERS, MOST_SEARCHES = 3, 32
"""What a resolver reads (glibc), and kubelet writes."""


def text(pod: Object, machine: str) -> str:
    """``machine`` is the machine's own resolv.conf."""
    servers, searches, options = _by_policy(pod, machine)
    config = pod["spec"].get("dnsConfig") or {}
    servers = _once([*servers, *(config.get("nameservers") or ())])[:MOST_NAME_SERVERS]
    searches = _once([*searches, *(config.get("searches") or ())])[:MOST_SEARCHES]
    for option in config.get("options") or ():
        options[option["name"]] = option.get("value")
    lines = [f"nameserver {server}" for server in servers]
    if searches:
        lines.append(f"search {' '.join(searches)}")
    if options:
        lines.append("options " + " ".join(f"{name}:{value}" if value else name for name, value in options.items()))
    return "".join(f"{line}\n" for line in lines)


def _by_policy(pod: Object, machine: str) -> tuple[list[str], list[str], dict[str, str | None]]:
    """(name servers, search domains, options)"""
    policy = pod["spec"].get("dnsPolicy") or "ClusterFirst"
    if policy == "None":
        return [], [], {}
    if policy == "Default" or (policy == "ClusterFirst" and pod["spec"].get("hostNetwork")):
        return [network.GATEWAY], _searches(machine), {}
    search = [f"{namespace_of(pod)}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN]
    return [network.GATEWAY], search, {"ndots": "5"}


def _searches(machine: str) -> list[str]:
    """The last ``search`` line counts."""
    found = [line.split()[1:] for line in machine.splitlines() if line.startswith(("search", "domain"))]
    return found[-1] if found else []


def _once(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))
