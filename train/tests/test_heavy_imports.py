from __future__ import annotations

import subprocess
import sys

import pytest

TOLD = "import sidings_train, gc, sys; print(gc.isenabled(), 'torch._dynamo' in sys.modules, gc.get_freeze_count())"


@pytest.mark.parametrize(("before", "enabled"), [("", True), ("import gc; gc.disable(); ", False)])
def test_the_collector_is_as_it_was_and_has_less_to_look_at(before: str, enabled: bool) -> None:
    done = subprocess.run([sys.executable, "-c", before + TOLD], capture_output=True, text=True, check=True)
    is_enabled, is_there, frozen = done.stdout.split()
    assert (is_enabled, is_there) == (str(enabled), "True")
    assert int(frozen) > 100_000
