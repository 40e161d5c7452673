"""Estimates against the figures that upstream's own tests hold it to (``schema/cel/compilation_test.go``, v0.36), and
against what kube-apiserver said of definitions that it refused."""

import pytest

from sidings.api.cel import checker, cost
from sidings.api.cel.parser import parsed
from sidings.api.cel.types import of_schema

KINDS = {
    "int-or-string": {"x-kubernetes-int-or-string": True},
    "duration": {"type": "string", "format": "duration"},
    "date": {"type": "string", "format": "date"},
    "date-time": {"type": "string", "format": "date-time"},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "number map": {"type": "object", "additionalProperties": {"type": "number"}},
    "object": {
        "type": "object",
        "required": ["required"],
        "properties": {"required": {"type": "string"}, "optional": {"type": "string"}},
    },
}


def kind(name):
    return KINDS.get(name, {"type": name})


def list_of(item, most=None):
    return {"type": "array", "items": kind(item), **({} if most is None else {"maxItems": most})}


def map_of(item, most=None):
    bound = {} if most is None else {"maxProperties": most}
    return {"type": "object", "additionalProperties": kind(item), **bound}


def text(most=None, **more):
    return {"type": "string", **more, **({} if most is None else {"maxLength": most})}


def worst(schema, rule):
    type_ = of_schema(schema)
    node = parsed(rule)
    checked = checker.check(node, {"self": type_, "oldSelf": type_})
    assert checked.issues == []
    return cost.worst(node, checked)


@pytest.mark.parametrize(
    ("item", "rule", "unbounded", "most", "bounded"),
    [
        ("number", "self.all(x, true)", 4718591, 10, 32),
        ("string", "self.all(x, true)", 3145727, 20, 62),
        ("boolean", "self.all(x, true)", 1887437, 5, 17),
        ("numbers", "self.all(x, true)", 3145727, 100, 302),
        ("object", "self.all(x, true)", 555128, 50, 152),
        ("number", "self[1] == 0.0", 2, 5000, 2),
        ("string", "self[1] == self[1]", 314577, 8, 314577),
        ("number", "self.all(x, x == 0.0)", 6291454, 3 * 1024 * 2048, 25165826),
        ("int-or-string", "self.all(x, true)", 4718591, 10, 32),
        ("int-or-string", "self[0] == 5", 3, 10, 3),
        ("boolean", "self[0] == false", 2, 25, 2),
        ("object", "self[0] == null", 2, 422, 2),
        ("numbers", "self[0][0] == -1.0", 3, 51, 3),
        ("number map", "self.all(x, x.y == 25.2)", 6291452, 12, 74),
        ("number map", "self[0].x > 2.0", 4, 3000, 4),
        ("duration", "self.all(x, true)", 2359295, 5, 17),
        ("duration", "self[0].getHours() == 2", 4, 525, 4),
        ("date", "self.all(x, true)", 725936, 15, 47),
        ("date", "self[2].getDayOfMonth() == 13", 4, 42, 4),
        ("date-time", "self.all(x, true)", 428963, 25, 77),
    ],
)
def test_rules_of_lists(item, rule, unbounded, most, bounded):
    assert worst(list_of(item), rule) == unbounded
    assert worst(list_of(item, most), rule) == bounded


@pytest.mark.parametrize(
    ("item", "rule", "unbounded", "most", "bounded"),
    [
        ("number", "self.all(x, true)", 1348169, 10, 32),
        ("string", "self.all(x, true)", 1179647, 3, 11),
        ("boolean", "self.all(x, true)", 943718, 100, 302),
        ("number", 'self["x"] == 0.0', 2, 0, 2),
        ("int-or-string", "self.all(x, true)", 1348169, 15, 47),
        ("object", "self.all(x, true)", 428963, 20, 62),
        ("number map", "self.all(x, true)", 1179647, 10, 32),
        ("duration", "self.all(x, true)", 1048577, 5, 17),
        ("date", "self.all(x, true)", 524288, 10, 32),
        ("date-time", "self.all(x, true)", 349526, 25, 77),
        ("integer", "oldSelf.size() == self.size()", 5, 10, 5),
        ("date-time", 'self["a"] == self["b"]', 8, 7, 8),
        ("duration", 'self["c"] == self["d"]', 8, 42, 8),
    ],
)
def test_rules_of_maps(item, rule, unbounded, most, bounded):
    assert worst(map_of(item), rule) == unbounded
    assert worst(map_of(item, most), rule) == bounded


@pytest.mark.parametrize(
    ("rule", "unbounded", "most", "bounded"),
    [
        ("self.contains('test')", 314574, 10, 5),
        ("self.startsWith('test')", 2, 15, 2),
        ("self.endsWith('test')", 2, 30, 2),
        ('size(self + "hello") > size("hello")', 314578, 4, 7),
        ('self.matches("x")', 314574, 50, 22),
        ('"".matches("(((((((((())))))))))[0-9]")', 7, 10, 7),
        ('self.matches("")', 1, 100, 1),
        ('self == "x"', 2, 0, 1),
        ("self.find('[0-9]+') == ''", 629147, 10, 11),
        ("self.lowerAscii() == 'lower!'", 314575, 10, 6),
    ],
)
def test_rules_of_texts(rule, unbounded, most, bounded):
    assert worst(text(), rule) == unbounded
    assert worst(text(most), rule) == bounded


@pytest.mark.parametrize(("most", "bounded"), [(None, 329853068905), (10, 43)])
def test_join(most, bounded):
    schema = list_of("string", most) | {"items": text(most)}
    assert worst(schema, "self.join(' ') == 'aa bb'") == bounded


@pytest.mark.parametrize(("most", "bounded"), [(None, 329854432052), (10, 52)])
def test_sorting(most, bounded):
    schema = list_of("string", most) | {"items": text(most)}
    assert worst(schema, "self.isSorted() == true") == bounded


@pytest.mark.parametrize(("most", "bounded"), [(None, 629154), (4, 12)])
def test_replacement(most, bounded):
    properties = {"str": text(most), "before": text(2), "after": text(4)}
    schema = {"type": "object", "properties": properties}
    assert worst(schema, "self.str.replace(self.before, self.after) == 'does not matter'") == bounded


@pytest.mark.parametrize(("most", "bounded"), [(None, 629160), (10, 22)])
def test_splitting(most, bounded):
    schema = {"type": "object", "properties": {"str": text(most), "separator": text(most)}}
    assert worst(schema, "self.str.split(self.separator) == []") == bounded


@pytest.mark.parametrize(("most", "bounded"), [(None, 2752507), (10, 72)])
def test_values_of_a_map_by_its_keys(most, bounded):
    schema = map_of("string", most) | {"additionalProperties": text(most)}
    assert worst(schema, "self.all(x, x.contains(self[x]))") == bounded


def test_nested_maps():
    inner = KINDS["object"]
    schema = {"type": "array", "items": {"type": "object", "additionalProperties": inner}}
    rule = 'self.all(x, x["y"].required == "z")'
    assert worst(schema, rule) == 7340027
    assert worst(schema | {"maxItems": 10}, rule) == 72


def test_an_enumeration_bounds_a_text():
    values = ["A", "B", "C", "LongValue"]
    assert worst(text(enum=values), "self.contains('A')") == 2
    assert worst(text(1000, enum=values), "self.contains('A')") == 401


@pytest.mark.parametrize(("length", "most"), [(16, 909_090), (63, 333_333), (253, 94_339), (1024, 24_154)])
def test_the_longest_list_that_kube_apiserver_allows(length, most):
    def of(count):
        return worst(list_of("string", count) | {"items": text(length)}, "self.all(x, x.contains('gpu'))")

    assert of(most) <= 10_000_000 < of(most + 1)


def test_loops_in_loops():
    rule = "self.all(x, self.all(y, true))"
    assert worst(list_of("number", 10), rule) == 352
    assert worst(list_of("number", 10), "self.all(x, self.all(y, self.all(z, true)))") == 3552
    assert worst(list_of("number"), rule) > 10_000_000


def test_a_number_in_a_message_is_not_bounded_but_formatted_it_is():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert worst(schema, "'n: ' + string(self.n)") > 1_000_000_000
    assert worst(schema, "'n: %d'.format([self.n])") < 100


def test_what_costs_next_to_nothing():
    assert worst(map_of("number"), "has(self.x)") == 1
    assert worst(text(), "true") == 0
