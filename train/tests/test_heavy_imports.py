from __future__ import annotations

import subprocess
import sys

import pytest

TOLD = "import sidings_train, gc, sys; print(gc.isenabled(), 'torch._dynamo' in sys.modules)"


@pytest.mark.parametrize(("before", "enabled"), [("", True), ("import gc; gc.disable(); ", False)])
def test_the_collector_is_as_it_was(before: str, enabled: bool) -> None:
    done = subprocess.run([sys.executable, "-c", before + TOLD], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(enabled), "True"]
