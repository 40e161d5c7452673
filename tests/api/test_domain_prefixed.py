import pytest

from sidings.api import domain_prefixed

NOT_A_PATH = 'must be a domain-prefixed path (such as "acme.io/foo")'


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("acme.io/foo/bar", []),
        ("kubernetes.io/job-controller", []),
        ("", ["x: Required value"]),
        ("other", [f'x: Invalid value: "other": {NOT_A_PATH}']),
        ("/foo", [f'x: Invalid value: "/foo": {NOT_A_PATH}']),
        ("acme.io/", [f'x: Invalid value: "acme.io/": {NOT_A_PATH}']),
    ],
)
def test_both_parts_are_there(value: str, found: list[str]) -> None:
    assert [str(error) for error in domain_prefixed.errors(value, "x")] == found


def test_the_wrong_part_is_shown() -> None:
    [domain] = domain_prefixed.errors("Acme.io/foo", "x")
    assert str(domain).startswith('x: Invalid value: "Acme.io": a lowercase RFC 1123 subdomain must consist of')
    [path] = domain_prefixed.errors("acme.io/f oo", "x")
    assert str(path).startswith('x: Invalid value: "f oo": Invalid path (regex used for validation is')


def test_a_manager_is_no_longer_than_a_label() -> None:
    assert list(domain_prefixed.manager_errors(None, "x")) == []
    assert list(domain_prefixed.manager_errors("a.io/" + "x" * 58, "x")) == []
    [error] = domain_prefixed.manager_errors("a.io/" + "x" * 59, "x")
    assert str(error) == "x: Too long: may not be more than 63 bytes"
