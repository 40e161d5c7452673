"""Paths and addresses of a pod, replaced in its command and variables: what is left where nothing can be preloaded.

Files are not read: a path that a script mentions is where the script says. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from sidings.node.network import loopback

_ADDRESS = re.compile(r"(?<![\d.])(10\.(?:244|9[6-9]|10\d|11[01])\.\d{1,3}\.\d{1,3})(?::(\d{1,5})(?!\d))?(?![\d.])")
"""Pods and Services, 10.244.0.0/16 and 10.96.0.0/12, with a port or without."""
_PORTS = ("PET_MASTER_PORT", "MASTER_PORT")
_FIRST_PORT, _PORT_COUNT = 20000, 12000
"""Below the kernel's ephemeral ports (32768 and up)."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+")


def with_paths(text: str, paths: Mapping[str, str]) -> str:
    """``text`` with each path below a key of ``paths`` moved below its value; the longest key wins."""
    if not paths:
        return text
    keys = "|".join(re.escape(key) for key in sorted(paths, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.~-])(?:{keys})(?![\w.-])", lambda match: paths[match[0]], text)


def with_addresses(text: str) -> str:
    """Addresses of the pods' networks as they are on this machine: in 127.0.0.0/8."""

    def placed(match: re.Match[str]) -> str:
        host, port = loopback(match[1], int(match[2] or 0))
        return f"{host}:{port}" if match[2] else host

    return _ADDRESS.sub(placed, text)


def with_names(text: str, names: Mapping[str, str]) -> str:
    """``text`` with every dotted name that ``names`` knows replaced by its address."""
    return _NAME.sub(lambda match: names.get(match[0].lower(), match[0]), text)


def job_port(job: str, asked: str) -> str:
    """A port for what ``job`` calls ``asked``: where pods share their ports, two jobs must not meet at 29500."""
    digest = hashlib.sha256(f"{job} {asked}".encode()).digest()
    return str(_FIRST_PORT + int.from_bytes(digest[:4]) % _PORT_COUNT)


def with_ports(environment: Mapping[str, str], job: str) -> tuple[dict[str, str], dict[str, str]]:
    """Variables with the job's own rendezvous port, and what was replaced: ``:29500`` -> ``:20417``, for texts."""
    ports = {name: job_port(job, environment[name]) for name in _PORTS if environment.get(name, "").isdigit()}
    return {**environment, **ports}, {f":{environment[name]}": f":{port}" for name, port in ports.items()}
