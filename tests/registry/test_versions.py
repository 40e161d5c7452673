"""resourceVersions as text."""

from __future__ import annotations

import pytest

from sidings.api.status import Timeout
from sidings.registry import versions


def test_a_version_is_a_decimal_number() -> None:
    assert versions.parse("") == 0
    assert versions.parse("52463") == 52463
    for text in ("abc", "-1", "1.0", " 1", "١"):
        with pytest.raises(ValueError, match=r"strconv\.ParseUint: parsing"):
            versions.parse(text)


def test_a_version_must_be_reached() -> None:
    versions.must_be_reached(7, 7)
    with pytest.raises(Timeout) as caught:
        versions.must_be_reached(8, 7)
    assert caught.value.to_status()["details"] == {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
