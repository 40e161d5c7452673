from sidings.node.sandbox.backend_choice import BackendChoice

A, B, C = ("a", 1), ("b", 1), ("c", 1)


def _choice(*targets: tuple[str, int], sticky: int = 0) -> BackendChoice:
    made = BackendChoice()
    made.update(targets, sticky)
    return made


def test_clients_take_turns_and_every_pod_is_in_reserve() -> None:
    choice = _choice(A, B)
    assert [choice.order("x", 0), choice.order("x", 0), choice.order("y", 0)] == [[A, B], [B, A], [A, B]]


def test_a_client_with_affinity_comes_back_until_it_stayed_away_too_long() -> None:
    choice = _choice(A, B, sticky=10)
    choice.settled("x", B, 0)
    assert choice.order("x", 9)[0] == B
    choice.settled("x", B, 9)
    assert choice.order("x", 19)[0] == B
    assert choice.order("x", 20)[0] == A


def test_affinity_ends_with_the_pod() -> None:
    choice = _choice(A, B, sticky=10)
    choice.settled("x", B, 0)
    choice.update([A, C], 10)
    assert choice.order("x", 1)[0] == A


def test_nobody_is_behind_an_empty_service() -> None:
    assert _choice().order("x", 0) == []
