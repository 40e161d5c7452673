"""The library of tier T2, ``pod_view.c``."""

from __future__ import annotations

from pathlib import Path

from sidings.node import compiled
from sidings.node.compiled import CannotCompile

SOURCE = Path(__file__).with_name("pod_view.c")


def ensure(folder: Path) -> tuple[str, str]:
    """(path, "") of the library below ``folder``, or ("", why there is none): then there is tier T3."""
    try:
        return str(compiled.ensure(folder, SOURCE)), ""
    except CannotCompile as error:
        return "", str(error)
