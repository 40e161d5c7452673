import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.selectors import FieldSelector, LabelSelector, Requirement, matches
from sidings.api.status import BadRequest

LABELS = {"app": "x", "tier": "b", "n": "5", "in": "word"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("app=x", True),
        ("app == x", True),
        ("app!=x", False),
        ("gone!=x", True),
        ("app in (x, y)", True),
        ("app in (,y)", False),
        ("gone notin (x)", True),
        ("app notin (x)", False),
        ("app", True),
        ("gone", False),
        ("!gone", True),
        ("! app", False),
        ("n>4,n<6", True),
        ("n>5", False),
        ("app>1", False),
        ("app=", False),
        ("app=x,tier in (a,b),!old", True),
        ("in=word", True),
    ],
)
def test_a_selector_matches_labels(text: str, expected: bool) -> None:
    assert LabelSelector.parse(text).matches(LABELS) is expected


LABEL = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
REQUIREMENT = "unable to parse requirement: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n gt 0", REQUIREMENT + "found 'gt', expected: in, notin, =, ==, !=, gt, lt"),
        ("a b", REQUIREMENT + "found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a in ()", REQUIREMENT + "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"),
        ("a in b", REQUIREMENT + "found 'b' expected: '('"),
        ("a in (b c)", REQUIREMENT + "found 'c', expected: ',' or ')'"),
        ("a in (b", REQUIREMENT + "found '', expected: ',' or ')'"),
        ("a==!b", REQUIREMENT + "found '!', expected: identifier"),
        ("!", REQUIREMENT + "found '', expected: identifier"),
        ("a=b/c", REQUIREMENT + f'values[0][a]: Invalid value: "b/c": {LABEL}'),
        (
            "n>x",
            REQUIREMENT + "values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        ("a=b,", "found '', expected: identifier after ','"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
    ],
)
def test_what_is_no_selector_is_refused_in_upstream_words(text: str, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        LabelSelector.parse(text)
    assert caught.value.message == message


def test_a_bad_key_is_quoted_without_a_path() -> None:
    with pytest.raises(BadRequest, match=r'^unable to parse requirement: <nil>: Invalid value: "a/b/c": a qualified'):
        LabelSelector.parse("a/b/c")


def test_a_selector_object_combines_labels_and_expressions() -> None:
    selector = {
        "matchLabels": {"app": "x"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["a", "b"]},
            {"key": "old", "operator": "DoesNotExist"},
            {"key": "app", "operator": "Exists"},
            {"key": "app", "operator": "NotIn", "values": ["z"]},
        ],
    }
    assert matches(selector, LABELS)
    assert not matches(selector, {**LABELS, "old": ""})


def test_no_selector_selects_nothing_and_the_empty_one_everything() -> None:
    assert not matches(None, LABELS)
    assert matches({}, None)
    assert LabelSelector.from_object({}).everything
    assert not LabelSelector.nothing().everything


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ValueError, match='"Near" is not a valid label selector operator'):
        LabelSelector.from_object({"matchExpressions": [{"key": "a", "operator": "Near"}]})


words = st.from_regex("[a-z][a-z0-9]{0,5}", fullmatch=True)


@given(st.dictionaries(words, words, max_size=4))
def test_labels_match_the_selector_that_is_made_of_them(labels: dict[str, str]) -> None:
    text = ",".join(f"{key}={value}" for key, value in labels.items())
    assert LabelSelector.parse(text).matches(labels)
    assert LabelSelector.from_object({"matchLabels": labels}).matches(labels)
    assert not labels or not LabelSelector.parse(text).matches({})


@given(words, st.lists(words, min_size=1, max_size=3))
def test_notin_is_the_opposite_of_in(key: str, values: list[str]) -> None:
    listed = ",".join(values)
    inside, outside = (LabelSelector.parse(f"{key} {word} ({listed})") for word in ("in", "notin"))
    for labels in ({}, {key: "other-value"}, {key: values[0]}):
        assert inside.matches(labels) is not outside.matches(labels)
    assert inside.requirements == (Requirement(key, "in", tuple(sorted(set(values)))),)


@given(st.text(alphabet="ab!=<>(), in", max_size=12))
def test_any_text_is_a_selector_or_a_bad_request(text: str) -> None:
    try:
        LabelSelector.parse(text).matches(LABELS)
    except BadRequest as error:
        assert "expected" in error.message or "Invalid value" in error.message


def test_a_field_selector_compares_texts() -> None:
    pod = {"status.phase": "Running", "metadata.name": "a,b", "spec.nodeName": ""}
    lookup = pod.__getitem__
    assert FieldSelector.parse("").matches(lookup)
    assert FieldSelector.parse("status.phase=Running,spec.nodeName=").matches(lookup)
    assert FieldSelector.parse("status.phase!=Failed").matches(lookup)
    assert not FieldSelector.parse("status.phase!=Running").matches(lookup)
    assert FieldSelector.parse(r"metadata.name==a\,b").matches(lookup)


def test_a_field_that_a_selector_pins_is_known() -> None:
    selector = FieldSelector.parse("metadata.name=x,status.phase!=Failed")
    assert selector.exact("metadata.name") == "x"
    assert selector.exact("status.phase") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"),
        (r"a=\x", r"invalid field selector: invalid escape sequence: \x"),
        ("a=b=c", "invalid field selector: unescaped character in value: b=c"),
    ],
)
def test_what_is_no_field_selector_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        FieldSelector.parse(text)
    assert caught.value.message == message
