"""The files of ``/etc`` that belong to a pod: hosts, hostname, resolv.conf, nsswitch.conf.

The pod's own line comes first in hosts and its full name first in the line: torchrun's c10d rendezvous publishes
``socket.getfqdn()`` of rank 0 as MASTER_ADDR, and gloo falls back to loopback (and hangs) where the host name does not
resolve to the pod's address.
"""

from __future__ import annotations

import re
from pathlib import Path

from sidings.api.objects import Object
from sidings.node import dns, resolver

_LOCAL = """\
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
"""
_HOSTS_LINE = re.compile(r"^hosts:.*$", re.MULTILINE)
_SHADOW_LINE = re.compile(r"^shadow:.*$", re.MULTILINE)


def files(pod: Object, address: str, host_switch: str, machine: str = "", host_resolver: str = "") -> dict[str, str]:
    """File name in /etc -> content; ``host_switch`` is the host's own nsswitch.conf ("" where it has none).

    ``host_resolver``: its resolv.conf.

    ``machine``: the host name that the pod has in place of its own, where it cannot be given one.
    """
    made = {
        "hosts": hosts(pod, address, machine),
        "hostname": dns.host_name(pod) + "\n",
        "resolv.conf": resolver.text(pod, host_resolver),
    }
    if host_switch:
        # resolve, myhostname and mdns would ask daemons of the host; .local belongs to the cluster here.
        # Of passwords a pod sees none, and systemd would answer that root's account is locked, also for a key.
        switch = _HOSTS_LINE.sub("hosts: files dns", host_switch)
        made["nsswitch.conf"] = _SHADOW_LINE.sub("shadow: files", switch)
    return made


def hosts(pod: Object, address: str, machine: str = "") -> str:
    full, own = dns.full_name(pod), dns.host_name(pod)
    names = "\t".join(dict.fromkeys(filter(None, (full, own, machine))))
    text = f"{address}\t{names}\n{_LOCAL}"
    for alias in pod["spec"].get("hostAliases") or ():
        text += "\t".join((alias["ip"], *(alias.get("hostnames") or ()))) + "\n"
    return text


def of_machine(name: str) -> str:
    """A file of the machine's own /etc; "" where it has none."""
    path = Path("/etc", name)
    return path.read_text(errors="replace") if path.exists() else ""
