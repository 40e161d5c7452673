"""How long a program may be."""

import pytest

from sidings.api.go_regexp import InvalidPattern, found


def test_a_program_has_an_end() -> None:
    with pytest.raises(InvalidPattern, match="expression too large"):
        found("(abcdefghijk){1000}", "")


def test_a_name_of_many_parts_is_short_enough() -> None:
    name = r"^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.){1,16}$"
    assert found(name, "a.b-c." * 8)
    assert not found(name, "a.b-.")
