"""What a walk keeps, and where it gives up."""

import random

import pytest

from sidings.api.go_regexp import TooMuchWork
from sidings.api.go_regexp.automaton import END, MOST_KEPT, Automaton
from sidings.api.go_regexp.expression import Expression
from sidings.api.go_regexp.parsing import parse
from sidings.api.go_regexp.program import compiled


def test_a_character_leads_to_the_state_that_it_led_to_before() -> None:
    first = Automaton(compiled(parse("^[a-z]+$")), anywhere=True).first()
    inside = first["a"]
    assert inside["b"] is inside["c"] is inside["b"]["z"]
    assert inside["b"][END].matched
    assert not inside["-"][END].matched


def test_what_is_no_longer_preferred_is_left_out() -> None:
    state = Automaton(compiled(parse("a|ab")), anywhere=False).first()
    assert not state["a"].matched
    assert state["a"]["b"].matched
    assert not state["a"]["b"].steps


def test_states_beyond_what_is_kept_are_found_again() -> None:
    """Each character of this text leads to a state that was not there before."""
    choice = random.Random(7).choice
    text = "".join(choice("ab") for _ in range(4 * MOST_KEPT // 20))
    pattern = Expression("a[ab]{20}$")
    assert pattern.found_in(text) is (text[-21] == "a")
    assert pattern.found_in(text + "a" + "b" * 20)
    assert not pattern.found_in(text + "b" * 21)


def test_too_much_work_is_refused() -> None:
    choice = random.Random(7).choice
    text = "".join(choice("ab") for _ in range(20_000))
    with pytest.raises(TooMuchWork):
        Expression("a[ab]{900}c").found_in(text)
    with pytest.raises(TooMuchWork):
        list(Expression("a(.*c)?").all_in(text))


def test_a_question_does_not_pay_for_another() -> None:
    text = "".join(random.Random(7).choice("ab") for _ in range(2_000))
    pattern = Expression("a[ab]{300}c")
    for _ in range(20):
        assert not pattern.found_in(text)
