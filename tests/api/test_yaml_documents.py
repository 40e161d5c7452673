import pytest
import yaml

from sidings.api import yaml_documents


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True),
        ("Off", False),
        ("'y'", "y"),
        ("yes please", "yes please"),
        ("2026-11-30", "2026-11-30"),
        ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"),
        ("1:30", "1:30"),
        ("12", 12),
        ("-12", -12),
        ("1_000", 1000),
        ("010", 8),
        ("0o10", 8),
        ("0x10", 16),
        ("0", 0),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("1.34.2", "1.34.2"),
        ("500m", "500m"),
        ("~", None),
        ("", None),
        ("null", None),
    ],
)
def test_scalars_as_go_reads_them(text: str, value: object) -> None:
    loaded, _ = yaml_documents.load(f"a: {text}")
    assert loaded == {"a": value}
    assert type(loaded["a"]) is type(value)


def test_keys_are_strings() -> None:
    assert yaml_documents.load("{1: a, true: b, null: c}")[0] == {"1": "a", "true": "b", "null": "c"}


def test_keys_given_twice_are_told_with_their_line() -> None:
    value, repeated = yaml_documents.load("a: 1\nb:\n  c: 1\n  c: 2\n")
    assert value == {"a": 1, "b": {"c": 2}}
    assert repeated == ['line 4: key "c" already set in map']


def test_merge_keys() -> None:
    text = "base: &b {x: 1, y1: 2}\nmade:\n  <<: *b\n  x: 3\n"
    assert yaml_documents.load(text) == ({"base": {"x": 1, "y1": 2}, "made": {"x": 3, "y1": 2}}, [])


def test_a_key_that_is_no_scalar_is_refused() -> None:
    with pytest.raises(yaml.YAMLError, match="invalid map key"):
        yaml_documents.load("{[1]: a}")


def test_several_documents_without_the_empty_ones() -> None:
    assert yaml_documents.load_all("---\na: 1\n---\n# nothing\n---\nb: y\n") == [{"a": 1}, {"b": True}]


def test_an_anchor_is_a_value_of_its_own_wherever_it_is_used() -> None:
    loaded, _ = yaml_documents.load("a: &x {b: 1}\nc: *x\n")
    assert loaded == {"a": {"b": 1}, "c": {"b": 1}}
    assert loaded["a"] is not loaded["c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &x [*x]", "anchor value contains itself"),
        ("a: &x {b: {c: *x}}", "anchor value contains itself"),
        (
            "\n".join(
                ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
                + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
            ),
            "excessive aliasing",
        ),
        ("a: " + "[" * 100_000, "exceeded maximum nesting depth"),
        ("a: " + "[" * 900 + "]" * 900, "exceeded max depth"),
    ],
)
def test_what_would_never_end_is_refused(text: str, message: str) -> None:
    for load in (yaml_documents.load, yaml_documents.load_all):
        with pytest.raises(yaml.YAMLError, match=message):
            load(text)


def test_a_broken_file_names_the_place() -> None:
    with pytest.raises(yaml.YAMLError, match="line 2"):
        yaml_documents.load_all("a: 1\n b: [\n")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, 1.5]}, "a:\n- true\n- null\n- 1.5\nb: 1\n"),
        ({"b": "8", "c": "y", "d": "", "e": "2026-11-30"}, 'b: "8"\nc: "y"\nd: ""\ne: "2026-11-30"\n'),
        ({"script": "one\ntwo\n"}, "script: |\n  one\n  two\n"),
        ({"empty": {}, "list": []}, "empty: {}\nlist: []\n"),
    ],
)
def test_what_is_written_reads_the_same(value: dict[str, object], text: str) -> None:
    assert yaml_documents.dump(value) == text
    assert yaml_documents.load(text)[0] == value
