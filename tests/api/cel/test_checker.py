import pytest

from sidings.api.cel import checker
from sidings.api.cel.errors import shown
from sidings.api.cel.parser import parsed
from sidings.api.cel.types import of_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer"},
        "ratio": {"type": "number"},
        "name": {"type": "string"},
        "on": {"type": "boolean"},
        "until": {"type": "string", "format": "date-time"},
        "wait": {"type": "string", "format": "duration"},
        "port": {"x-kubernetes-int-or-string": True},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "names": {"type": "array", "items": {"type": "string"}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "anything": {"x-kubernetes-preserve-unknown-fields": True},
    },
}


def checked(text):
    type_ = of_schema(SCHEMA, is_root=True)
    found = checker.check(parsed(text), {"self": type_, "oldSelf": type_})
    return found, found.types[parsed(text)]


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("self.replicas + 1", "int"),
        ("self.replicas < self.ratio", "bool"),
        ("self.until - self.until", "duration"),
        ("self.until + self.wait", "timestamp"),
        ("self.port", "dyn"),
        ("self.port == 'http' || self.port > 1", "bool"),
        ("self.labels['a']", "string"),
        ("self.labels.a", "string"),
        ("self.?labels.a", "optional_type(string)"),
        ("self.?name.orValue('x')", "string"),
        ("self.items[0].n", "int"),
        ("self.items.map(i, i.n)", "list(int)"),
        ("self.items.map(i, i.n > 1, i.n)", "list(int)"),
        ("self.labels.map(k, k)", "list(string)"),
        ("self.labels.transformList(k, v, k + v)", "list(string)"),
        ("self.names.transformMap(i, v, v)", "map(int, string)"),
        ("self.labels.transformMapEntry(k, v, {v: k})", "map(string, string)"),
        ("self.names.exists(i, v, i > 0 && v == 'a')", "bool"),
        ("self.?replicas.optMap(r, r + 1)", "optional_type(int)"),
        ("[1, 2]", "list(int)"),
        ("{'a': 1}", "map(string, int)"),
        ("[]", "list(dyn)"),
        ("type(self.port) == int", "bool"),
        ("dyn(self.replicas)", "dyn"),
        ("self.names.max()", "string"),
        ("self.metadata.name.matches('a')", "bool"),
        ("self.on ? self.name : 'x'", "string"),
        ("'%s %s'.format([dyn(self.replicas), dyn(self.name)])", "string"),
        ("quantity(self.name).isLessThan(quantity('1'))", "bool"),
        ("semver('1.2.3').major()", "int"),
        ("format.dns1123Label().validate(self.name).hasValue()", "bool"),
        ("self == oldSelf", "bool"),
        ("self.until == null", "bool"),
    ],
)
def test_types(text, type_):
    found, type_of_all = checked(text)
    assert (found.issues, str(type_of_all)) == ([], type_)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("has(self.namespace)", "1:4: undefined field 'namespace'"),
        ("self.name == 'a' && self.nope > 1", "1:25: undefined field 'nope'"),
        ("self.free.x == 1", "1:10: undefined field 'x'"),
        ("self.anything == 1", "1:5: undefined field 'anything'"),
        ("self.metadata.labels == {}", "1:14: undefined field 'labels'"),
        ("self.replicas.x", "1:14: type 'int' does not support field selection"),
        ("self.replicas == 'a'", "1:15: found no matching overload for '_==_' applied to '(int, string)'"),
        ("self.name + 1", "1:11: found no matching overload for '_+_' applied to '(string, int)'"),
        ("self.replicas == 1.0", "1:15: found no matching overload for '_==_' applied to '(int, double)'"),
        ("self.replicas.matches('a')", "1:22: found no matching overload for 'matches' applied to 'int.(string)'"),
        ("self.names.all(n, n)", "1:19: expected type 'bool' but found 'string'"),
        ("self.replicas.all(n, true)", "1:5: expression of type 'int' cannot be range of a comprehension (must be"),
        ("other == 1", "1:1: undeclared reference to 'other' (in container '')"),
        ("nope(1)", "1:5: undeclared reference to 'nope' (in container '')"),
        ("self.name.nope()", "1:15: undeclared reference to 'nope' (in container '')"),
        ("[1, 'a'].size() == 2", "1:5: expected type 'int' but found 'string'"),
        ("{'a': 1, 'b': 'c'}.size() == 2", "1:15: expected type 'int' but found 'string'"),
        ("self.name.matches('[')", "1:19: invalid matches argument"),
        ("self.items[0] == self.metadata", "1:15: found no matching overload for '_==_' applied to '(object, object)'"),
        ("1 ? true : false", "1:3: found no matching overload for '_?_:_' applied to '(int, bool, bool)'"),
        ("!self.name", "1:1: found no matching overload for '!_' applied to '(string)'"),
        ("self.until > '2026'", "1:12: found no matching overload for '_>_' applied to '(timestamp, string)'"),
        ("self.name.optMap(x, x).hasValue()", "1:17: found no matching overload for 'hasValue' applied to 'string.()'"),
    ],
)  # fmt: skip
def test_what_does_not_fit(text, complaint):
    found, _ = checked(text)
    assert shown(text, found.issues[:1]).startswith(f"ERROR: <input>:{complaint}")


def test_one_mistake_is_told_once_and_two_are_told_both():
    found, _ = checked("self.nope + 1 == 2 && self.neither")
    assert [issue.message for issue in found.issues] == ["undefined field 'nope'", "undefined field 'neither'"]
    assert shown("self.nope + 1 == 2 && self.neither", found.issues) == (
        "ERROR: <input>:1:5: undefined field 'nope'\n | self.nope + 1 == 2 && self.neither\n | ....^\n"
        "ERROR: <input>:1:27: undefined field 'neither'\n | self.nope + 1 == 2 && self.neither\n"
        " | ..........................^"
    )
