import pytest

from sidings.node.container_engine import pulling


@pytest.mark.parametrize(
    ("policy", "present", "pulled"),
    [
        ("Always", True, True),
        ("Always", False, True),
        ("IfNotPresent", True, False),
        ("IfNotPresent", False, True),
        ("Never", True, False),
        ("Never", False, False),
    ],
)
def test_policies(policy: str, present: bool, pulled: bool) -> None:
    assert pulling.is_pulled(policy, present) is pulled


def test_back_off_doubles_up_to_five_minutes_and_is_forgotten_after_a_success() -> None:
    back_off = pulling.BackOff()
    assert back_off.left("a", 0) <= 0
    delays = []
    now = 0.0
    for _ in range(7):
        back_off.fail("a", "no such host", now)
        delays.append(back_off.left("a", now))
        now += delays[-1]
    assert delays == [10, 20, 40, 80, 160, 300, 300]
    assert back_off.text("a") == "no such host"
    assert back_off.left("b", now) <= 0
    back_off.forget("a")
    back_off.fail("a", "again", now)
    assert back_off.left("a", now) == 10


def test_a_pull_is_told_with_its_time_and_size() -> None:
    assert pulling.pulled("a:1", 1.23456, 7) == (
        'Successfully pulled image "a:1" in 1.235s (1.235s including waiting). Image size: 7 bytes.'
    )
    assert "in 850ms (850ms" in pulling.pulled("a:1", 0.85, 7)
