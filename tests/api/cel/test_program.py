import pytest

from sidings.api.cel import signatures, tree
from sidings.api.cel.errors import CelSyntaxError, EvaluationError
from sidings.api.cel.program import FUNCTIONS, compiled

SELF = {"replicas": 3, "name": "a-1", "items": [{"n": 1}, {"n": 2}], "ratio": 0.5, "labels": {"a": "b"}}
SELF["odd"] = {"a-b": 1, "namespace": 2}
SELF["long"] = "a" * 20_000


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
        ("'ab'.matches('^[[:alpha:]]+\\\\z') && !'ab\\n'.matches('b$')", True),
        (f"'{'a' * 64}'.matches('^(a+)+b$')", False),
        ("self.name.startsWith('a') && self.name.endsWith('1') && self.name.contains('-')", True),
        ("double(self.replicas) * self.ratio", 1.5),
        ("int('12') + int(2.9)", 14),
        ("string(3) + string(true)", "3true"),
        ("true || self.missing", True),
        ("self.missing || true", True),
        ("self.missing && false", False),
        ("[1, 0].exists(i, 1 / i == 1)", True),
        ("null == null", True),
        ("type(self.replicas) == int && type(self.name) == string", True),
        ("[3, 1, 2].map(i, i > 1, i * 2)", [6, 4]),
        ("self.?missing.?deep.orValue(7)", 7),
        ("self.?labels.a.orValue('none')", "b"),
        ("self.?items[0].n.value()", 1),
        ("self.labels[?'b'].hasValue()", False),
        ("self.?replicas.optMap(r, r + 1).orValue(0)", 4),
        ("optional.of(1).or(optional.none()).value()", 1),
        ("self.odd.a__dash__b + self.odd.__namespace__", 3),
        ("has(self.odd.a__dash__b)", True),
        ("' a-b '.trim().split('-', 2).join('+').replace('a', 'c')", "c+b"),
        ("'abc'.substring(1) + 'abc'.substring(0, 1) + 'abc'.charAt(1)", "bcab"),
        ("'abcb'.indexOf('b') + 'abcb'.lastIndexOf('b') + [1, 2].indexOf(2)", 5),
        ("'a1b22'.findAll('[0-9]+').join(',') + 'a1'.find('[0-9]')", "1,221"),
        ("[1, 2, 3].isSorted() && [1, 3].max() - [1, 3].min() == [1, 1].sum()", True),
        ("sets.contains([1, 2], [2]) && !sets.intersects([1], [2]) && sets.equivalent([1, 1], [1])", True),
        ("quantity('1Gi') == quantity('1024Mi') && quantity('500m').isLessThan(quantity('1'))", True),
        ("isQuantity('1.5Gi') && !isQuantity('many')", True),
        ("quantity('2').add(quantity('500m')).compareTo(quantity('2500m')) + quantity('3').asInteger()", 3),
        ("duration('1h30m') > duration('45m') && duration('90s').getMinutes() == 1", True),
        ("timestamp('2026-11-30T10:00:00Z') - timestamp('2026-11-30T09:00:00Z') == duration('1h')", True),
        ("isURL('https://h:80/p?q') && url('https://h:80/p').getPort() == '80'", True),
        ("['a', 'b'].all(i, v, i < 2 && v != 'c')", True),
        ("{'a': 1}.exists(k, v, k == 'a' && v == 1)", True),
        ("['a', 'b'].existsOne(i, v, v == 'b')", True),
        ("['a', 'b'].transformList(i, v, i > 0, v + string(i))", ["b1"]),
        ("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 10)", {"b": 20}),
        ("{'a': 'x'}.transformMapEntry(k, v, {v: k})", {"x": "a"}),
        ("self.?labels.optFlatMap(l, l.?a).orValue('none')", "b"),
        ("self.?missing.optFlatMap(l, l.?a).orValue('none')", "none"),
        ("'abcabc'.indexOf('b', 2) + 'abcabc'.lastIndexOf('b', 3)", 5),
        ("'a1b2c3'.findAll('[0-9]', 2)", ["1", "2"]),
        ("'one two'.find('[[:alpha:]]+o') + 'x'.find('y') + 'ab'.find('a|ab')", "twoa"),
        ("'aab'.findAll('(a+)+$')", []),
        ("bool('true') && !bool('f') && bytes('a') == bytes('a')", True),
        ("int(timestamp('1970-01-01T00:01:00Z')) + timestamp(5).getSeconds()", 65),
        ("size(bytes('é'))", 2),
        ("timestamp(timestamp('2026-11-30T10:00:00Z')).getHours() + duration(duration('1h')).getMinutes()", 70),
        ("isIP('10.0.0.1') && cidr('10.0.0.0/8').containsIP('10.1.2.3') && ip('::1').family() == 6", True),
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
        ("'a'.find('[')", "invalid regular expression"),
        ("self.long.findAll('a(.*c)?').size()", "operation cancelled: actual cost limit exceeded"),
        ("self.name.matches('(?=a)')", "invalid regular expression"),
        ("other", "no such attribute\\(s\\): other"),
        ("self.items.all(i, i.missing)", "no such key: missing"),
        ("quantity('many')", "type conversion error from string to Quantity"),
        ("duration('x')", "type conversion error from string to duration"),
        ("self.?missing.value()", r"optional.none\(\) dereference"),
        ("[].max()", "empty list"),
        ("'a'.substring(3)", "index out of range: 3"),
        ("duration('1s') < 1", "no such overload"),
        ("quantity(1)", "no such overload"),
        ("quantity('1').isLessThan('2')", "no such overload"),
        ("'a'.substring('b')", "no such overload"),
        ("cidr('10.0.0.0/8').containsIP('x')", "type conversion error from string to IP"),
        ("url(3)", "no such overload"),
        ("[{'a': 1}, {'a': 2}].transformMapEntry(i, v, v)", "insert failed: key a already exists"),
        ("bool('yes')", "type conversion error from string to bool"),
        ("'abc'.indexOf('b', 9)", "index out of range: 9"),
    ],
)
def test_what_cannot_be_answered_is_an_error(text, complaint):
    with pytest.raises(EvaluationError, match=complaint):
        compiled(text)({"self": SELF})


def test_a_function_that_does_not_exist_is_refused():
    with pytest.raises(CelSyntaxError, match=r"undeclared reference to 'nope' \(in container ''\)"):
        compiled("nope(1)")


def test_every_function_has_a_signature_and_every_signature_a_function():
    operators = {tree.CONDITIONAL, tree.OR, tree.AND, tree.IN, tree.NOT, tree.NEGATE}
    declared = {
        (name, len(overload.operands))
        for name, several in signatures.overloads().items()
        if name not in operators and not name.startswith("_")
        for overload in several
    }
    assert declared == set(FUNCTIONS)
