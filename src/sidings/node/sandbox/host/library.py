"""The library of tier T2, ``pod_view.c``: compiled, and tried on the Python that pods run with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sidings.node import compiled
from sidings.node.compiled import CannotCompile

SOURCE = Path(__file__).with_name("pod_view.c")
_NAME = "sidings-probe"
_ASK = "import socket; print(socket.gethostname())"


def ensure(folder: Path) -> tuple[str, str]:
    """(path, "") of the library below ``folder``, or ("", why there is none): then there is tier T3."""
    try:
        library = str(compiled.ensure(folder, SOURCE))
    except CannotCompile as error:
        return "", str(error).splitlines()[0]
    # A Python that is linked statically, or against another C library than the compiler's, does not take it.
    environment = {"LD_PRELOAD": library, "SIDINGS_NAME": _NAME}
    asked = [sys.executable, "-I", "-S", "-c", _ASK]
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    if done.stdout.strip() != _NAME:
        return "", f"{sys.executable} does not take a preloaded library"
    return library, ""
