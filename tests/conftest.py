"""What all tests share: an asyncio that makes no event loop behind anybody's back.

On Python 3.11 ``get_event_loop`` makes a loop where none is set, and pytest-asyncio 1.x calls it between tests without
ever closing the result: with warnings as errors, some later test fails for it. Saying once that there is none ends it.
"""

import asyncio
import os

import hypothesis
import pytest

asyncio.set_event_loop(None)

# A busy machine may take any time for an example; that says nothing about the code.
patient = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("patient", patient)
hypothesis.settings.register_profile("ci", patient, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "patient")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long runs are for ``make soak`` only, which asks for them by their marker."""
    if "soak" in config.option.markexpr:
        return
    skipped = [item for item in items if item.get_closest_marker("soak")]
    if skipped:
        config.hook.pytest_deselected(items=skipped)
        items[:] = [item for item in items if item not in skipped]
