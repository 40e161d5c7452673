"""The fraud example's scripts as modules, with the ``train`` that stands beside them.

The repository has a folder ``train``, which Python takes for a package of that name once a test below it was imported.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def script(name: str) -> ModuleType:
    """The module ``name`` of the example's folder, which conftest.py has put on the path."""
    folder = sys.modules.pop("train", None)
    try:
        return importlib.import_module(name)
    finally:
        if folder is not None:
            sys.modules["train"] = folder
