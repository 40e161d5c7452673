"""The collector rests for as long as a command reads, and is afterwards as it was before."""

from __future__ import annotations

import gc

import pytest

from sidings.cli import garbage


def test_the_collector_rests_and_comes_back_even_after_an_error() -> None:
    assert gc.isenabled()
    with pytest.raises(KeyError), garbage.uncollected():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


def test_one_that_rested_already_stays_so() -> None:
    gc.disable()
    try:
        with garbage.uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
