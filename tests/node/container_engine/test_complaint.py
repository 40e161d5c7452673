import pytest

from sidings.node.container_engine.complaint import complaint


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Trying to pull x...\nError: initializing source x: refused\n", "initializing source x: refused"),
        ("runc create failed: a\nError: runc: a: command not found\n", "runc: a: command not found"),
        ("Error response from daemon: No such image: x\n", "No such image: x"),
        ("docker: no daemon\n\nRun 'docker run --help' for more information\n", "no daemon"),
        ("time=1 level=warning msg=slow\n", "time=1 level=warning msg=slow"),
        ("", "it gave no reason"),
    ],
)
def test_the_error_among_other_lines(said: str, why: str) -> None:
    assert complaint(said) == why
