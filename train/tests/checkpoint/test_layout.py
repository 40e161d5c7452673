from __future__ import annotations

from sidings_train.checkpoint.layout import MANIFEST, Attempt, attempts, finished


def test_a_path_and_back() -> None:
    attempt = Attempt(200, "0017-ab")
    assert attempt.path("x") == "step-00000200/0017-ab/x"
    assert attempts([attempt.path("x"), attempt.path("y")]) == {attempt: {"x", "y"}}


def test_steps_beyond_eight_digits_keep_their_order() -> None:
    found = attempts(Attempt(step, "a").path(MANIFEST) for step in (99_999_999, 100_000_000, 1_234_567_890))
    assert [attempt.step for attempt in finished(found)] == [1_234_567_890, 100_000_000, 99_999_999]


def test_what_others_put_there_is_left_out() -> None:
    assert (
        attempts(["step-1/a/x", "step-00000001/x", "events.out", "step-00000001/a/b/c", "logs/step-00000001/a/x"]) == {}
    )


def test_newest_first_and_of_one_step_the_later_attempt() -> None:
    order = [Attempt(3, "0001-a"), Attempt(2, "0009-b"), Attempt(2, "0003-c")]
    found = attempts(attempt.path(MANIFEST) for attempt in reversed(order))
    assert finished(found) == order


def test_without_a_manifest_it_is_not_finished() -> None:
    assert finished(attempts([Attempt(3, "a").path("__0_0.distcp")])) == []
