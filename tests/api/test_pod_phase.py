"""Which phases are final."""

import pytest

from sidings.api.pod_phase import has_ended


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        ({"phase": "Succeeded"}, True),
        ({"phase": "Failed"}, True),
        ({"phase": "Running"}, False),
        ({"phase": "Unknown"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_has_ended(status: dict[str, str] | None, ended: bool) -> None:
    assert has_ended({"status": status}) is ended
