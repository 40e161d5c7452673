"""Whether the API server gets its usual port."""

from __future__ import annotations

import socket

from sidings.host.doctor.finding import Finding, ok, warning
from sidings.host.home import Home

CHECK = "port"


def examine(here: Home, usual: int) -> Finding:
    if running := here.running():
        return ok(CHECK, f"the engine runs at {running.server}")
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", usual))
        except OSError as error:
            text = f"port {usual} is not to be had ({error.strerror}): the API server takes another one"
            return warning(CHECK, text, f"ss -ltnp sport = :{usual}   (shows who has it)")
    return ok(CHECK, f"port {usual} is free")
