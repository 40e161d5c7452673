import random

import pytest

from sidings.api import names

QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def test_a_subdomain_is_labels_joined_by_dots() -> None:
    assert names.dns1123_subdomain("a.b-1.c") == []
    assert names.dns1123_subdomain("Xx") == [
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    ]
    assert names.dns1123_subdomain("x" * 254) == ["must be no more than 253 characters"]


def test_a_label_is_one_host_name() -> None:
    assert names.dns1123_label("1-a") == []
    assert names.dns1123_label("C_1") == [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
        "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
    ]
    assert names.dns1123_label("a\n")


def test_a_service_name_starts_with_a_letter() -> None:
    assert names.dns1035_label("a1") == []
    assert names.dns1035_label("1a") == [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation "
        "is '[a-z]([-a-z0-9]*[a-z0-9])?')"
    ]


@pytest.mark.parametrize(
    ("value", "complaints"),
    [
        ("app", []),
        ("example.com/My_Name", []),
        ("a b", [f"name part {QUALIFIED}"]),
        ("a/", ["name part must be non-empty", f"name part {QUALIFIED}"]),
        ("/a", ["prefix part must be non-empty"]),
        ("x" * 64, ["name part must be no more than 63 bytes"]),
        (
            "a/b/c",
            [f"a qualified name {QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"],
        ),
    ],
)
def test_a_qualified_name_has_an_optional_domain(value: str, complaints: list[str]) -> None:
    assert names.qualified_name(value) == complaints


def test_a_label_value_may_be_empty() -> None:
    assert names.label_value("") == []
    assert names.label_value("x" * 64) == ["must be no more than 63 bytes"]
    assert names.label_value("-x")


@pytest.mark.parametrize(
    ("value", "complaints"),
    [
        ("train.py", []),
        ("..", ["must not be '..'"]),
        (".", ["must not be '.'"]),
        ("..a", ["must not start with '..'"]),
        (
            "a/b",
            [
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
            ],
        ),
    ],
)
def test_a_config_map_key_is_a_file_name(value: str, complaints: list[str]) -> None:
    assert names.config_map_key(value) == complaints


def test_an_environment_variable_may_have_any_printable_name_without_an_equals_sign() -> None:
    assert names.env_var_name("1.a b") == []
    assert names.env_var_name("a=b") == [
        "a valid environment variable name must consist only of printable ASCII characters other than '='"
    ]


def test_a_port_name_says_everything_that_is_wrong() -> None:
    assert names.port_name("http-1") == []
    assert names.port_name("-8--0") == [
        "must contain at least one letter (a-z)",
        "must not contain consecutive hyphens",
        "must not begin or end with a hyphen",
    ]
    assert names.port_name("A" * 16) == [
        "must be no more than 15 characters",
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        "must contain at least one letter (a-z)",
    ]


def test_a_key_is_told_of_each_time() -> None:
    """What a caller does with the complaints is not what the next one gets."""
    names.qualified_name("a b").clear()
    assert names.qualified_name("a b")


def test_a_generated_name_is_a_label_long_at_most() -> None:
    rng = random.Random(1)
    name = names.generate_name("job-", rng)
    assert name.startswith("job-")
    assert len(name) == 9
    assert set(name[4:]) <= set(names.SUFFIX_ALPHABET)
    assert name != names.generate_name("job-", rng)
    assert len(names.generate_name("x" * 100, rng)) == 63
