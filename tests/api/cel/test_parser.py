import pytest

from sidings.api.cel.errors import CelSyntaxError, EvaluationError
from sidings.api.cel.parser import compiled, names_in

SELF = {"replicas": 3, "name": "a-1", "items": [{"n": 1}, {"n": 2}], "ratio": 0.5, "labels": {"a": "b"}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 == 7", True),
        ("(1 + 2) * 3", 9),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7.0 / 2.0", 3.5),
        ("'a' + \"b\"", "ab"),
        (r"r'\d'", r"\d"),
        (r"'it\'s\n'", "it's\n"),
        ("[1, 2] + [3]", [1, 2, 3]),
        ("{'a': 1}.a", 1),
        ("1 == 1.0", True),
        ("1 == true", False),
        ("2 in [1, 2]", True),
        ("'a' in self.labels", True),
        ("self.replicas > 2 ? 'many' : 'few'", "many"),
        ("self.items[1].n", 2),
        ("has(self.replicas) && !has(self.missing)", True),
        ("has(self.labels.a)", True),
        ("self.items.all(i, i.n > 0)", True),
        ("self.items.exists(i, i.n == 2)", True),
        ("self.items.exists_one(i, i.n == 2)", True),
        ("self.items.filter(i, i.n > 1).size()", 1),
        ("size(self.items.map(i, i.n))", 2),
        ("self.labels.all(k, k == 'a')", True),
        ("self.name.matches('^[a-z]-[0-9]$')", True),
        ("self.name.startsWith('a') && self.name.endsWith('1') && self.name.contains('-')", True),
        ("double(self.replicas) * self.ratio", 1.5),
        ("int('12') + int(2.9)", 14),
        ("string(3) + string(true)", "3true"),
        ("true || self.missing", True),
        ("self.missing || true", True),
        ("self.missing && false", False),
        ("[1, 0].exists(i, 1 / i == 1)", True),
        ("null == null", True),
    ],
)
def test_an_expression_has_its_value(text, value):
    assert compiled(text)({"self": SELF}) == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("self.missing", "no such key: missing"),
        ("self.items[5]", "index out of bounds: 5"),
        ("1 / 0", "division by zero"),
        ("1 + 1.5", "no such overload"),
        ("'a' < 1", "no such overload"),
        ("!1", "no such overload"),
        ("9223372036854775807 + 1", "integer overflow"),
        ("self.name.matches('[')", "invalid regular expression"),
        ("other", "undeclared reference to 'other'"),
        ("self.items.all(i, i.missing)", "no such key: missing"),
    ],
)
def test_what_cannot_be_answered_is_an_error(text, complaint):
    with pytest.raises(EvaluationError, match=complaint):
        compiled(text)({"self": SELF})


@pytest.mark.parametrize("text", ["", "1 +", "(1", "self.", "f(1)", "has(1)", "a b", "'x", "x.all(1, true)", "(" * 300])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(CelSyntaxError):
        compiled(text)


def test_names():
    assert {"self", "oldSelf", "a"} == names_in("self.a == oldSelf.a")
