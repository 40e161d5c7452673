"""The files of ``/etc`` that belong to a pod: hosts, hostname, resolv.conf, nsswitch.conf.

The pod's own line comes first in hosts and its full name first in the line: torchrun's c10d rendezvous publishes
``socket.getfqdn()`` of rank 0 as MASTER_ADDR, and gloo falls back to loopback (and hangs) where the host name does not
resolve to the pod's address.
"""

from __future__ import annotations

import re
from pathlib import Path

from sidings.api.objects import Object, namespace_of
from sidings.node import dns, network

_LOCAL = """\
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
"""
_HOSTS_LINE = re.compile(r"^hosts:.*$", re.MULTILINE)


def files(pod: Object, address: str, host_switch: str, machine: str = "") -> dict[str, str]:
    """File name in /etc -> content; ``host_switch`` is the host's own nsswitch.conf ("" where it has none).

    ``machine``: the host name that the pod has in place of its own, where it cannot be given one.
    """
    made = {
        "hosts": hosts(pod, address, machine),
        "hostname": dns.host_name(pod) + "\n",
        "resolv.conf": resolver(pod),
    }
    if host_switch:
        # resolve, myhostname and mdns would ask daemons of the host; .local belongs to the cluster here.
        made["nsswitch.conf"] = _HOSTS_LINE.sub("hosts: files dns", host_switch)
    return made


def hosts(pod: Object, address: str, machine: str = "") -> str:
    full, own = dns.full_name(pod), dns.host_name(pod)
    names = "\t".join(dict.fromkeys(filter(None, (full, own, machine))))
    text = f"{address}\t{names}\n{_LOCAL}"
    for alias in pod["spec"].get("hostAliases") or ():
        text += f"{alias['ip']}\t{' '.join(alias.get('hostnames') or ())}\n"
    return text


def resolver(pod: Object) -> str:
    """ClusterFirst for every pod: no other server can be reached from the pods' network."""
    search = f"{namespace_of(pod)}.svc.{dns.DOMAIN} svc.{dns.DOMAIN} {dns.DOMAIN}"
    return f"nameserver {network.GATEWAY}\nsearch {search}\noptions ndots:5\n"


def host_switch() -> str:
    path = Path("/etc/nsswitch.conf")
    return path.read_text() if path.exists() else ""
