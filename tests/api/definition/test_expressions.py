import pytest

from sidings.api.definition import expressions

ADVICE = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared)"
)
TOTAL = "cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x"


def schema_with(rule, **more):
    """A rule at ``spec``, beside fields to speak of."""
    properties = {
        "replicas": {"type": "integer"},
        "names": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        **more,
    }
    spec = {"type": "object", "properties": properties, "x-kubernetes-validations": [rule]}
    return {"type": "object", "properties": {"spec": spec}}


def complaints(schema):
    return [
        str(error).replace("root.properties[spec].x-kubernetes-validations[0]", "HERE")
        for error in expressions.errors(schema, "root")
    ]


def of(rule="true", **fields):
    return complaints(schema_with({"rule": rule, **fields}))


@pytest.mark.parametrize(
    "fields",
    [
        {"rule": "self.replicas >= 0"},
        {"rule": "has(self.replicas) && self.replicas > oldSelf.replicas"},
        {"rule": "!oldSelf.hasValue() || self == oldSelf.value()", "optionalOldSelf": True},
        {"rule": "true", "messageExpression": "'%d'.format([self.replicas])", "reason": "FieldValueForbidden"},
        {"rule": "true", "fieldPath": ".replicas"},
        {"rule": "true", "fieldPath": ".labels['a.b']"},
        {"rule": "true ||\nfalse", "message": "two lines"},
    ],
)
def test_good_rules(fields):
    assert of(**fields) == []


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"rule": " "}, "HERE.rule: Required value: rule is not specified"),
        ({"message": " "}, 'HERE.message: Invalid value: " ": message must be non-empty if specified'),
        ({"message": "a\nb"}, 'HERE.message: Invalid value: "a\\nb": message must not contain line breaks'),
        ({"rule": "true ||\nfalse"}, "HERE.message: Required value: message must be specified if rule contains"),
        ({"messageExpression": " "}, "HERE.messageExpression: Required value: messageExpression must be non-empty"),
        ({"reason": "Nope"}, 'HERE.reason: Unsupported value: "Nope": supported values: "FieldValueDuplicate", '),
        ({"fieldPath": "replicas"}, 'HERE.fieldPath: Invalid value: "replicas": fieldPath must be a valid path'),
        ({"fieldPath": ".nope"}, 'HERE.fieldPath: Invalid value: ".nope": fieldPath must be a valid path'),
        ({"rule": "42"}, 'HERE.rule: Invalid value: {"rule":"42"}: cel expression must evaluate to a bool'),
        ({"messageExpression": "42"}, "messageExpression must evaluate to a string"),
        ({"messageExpression": "'a"}, ": messageExpression compilation failed: ERROR: <input>:1:1: Syntax error: "),
        ({"rule": "self.nope"}, "failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope\n | ....^"),
        ({"rule": "semvers('1')"}, ": compilation failed: ERROR: <input>:1:8: undeclared reference to 'semvers' (in"),
        ({"optionalOldSelf": True}, "HERE.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not"),
    ],
)  # fmt: skip
def test_what_is_refused(fields, complaint):
    (told,) = of(**fields)
    assert complaint in told


def test_a_rule_that_may_take_too_long_is_told_as_kube_apiserver_tells_it():
    assert of("self.names.all(x, x.contains('gpu'))") == [
        f"HERE.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x {ADVICE}",
        "HERE.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 "
        "schema",
        f"root: Forbidden: x-kubernetes-validations estimated rule {TOTAL} {ADVICE}",
    ]


def test_a_rule_within_an_unbounded_list_is_asked_as_often_as_a_request_has_room():
    rule = {"rule": "self.n + self.n + self.n > 0"}
    item = {"type": "object", "properties": {"n": {"type": "integer"}}, "x-kubernetes-validations": [rule]}
    listed = {"type": "array", "items": item}
    assert complaints(schema_with({"rule": "true"}, items=listed)) == []
    rule["rule"] = "self.n + self.n + self.n + self.n > 0"
    (told,) = complaints(schema_with({"rule": "true"}, items=listed))
    assert "estimated rule cost exceeds budget by factor of 1.258291x" in told
    assert complaints(schema_with({"rule": "true"}, items=listed | {"maxItems": 1000})) == []


def test_old_values_are_found_in_maps_of_lists_alone():
    item = {"type": "object", "properties": {"a": {"type": "string"}}}
    item["x-kubernetes-validations"] = [{"rule": "self == oldSelf"}]
    item["required"] = ["a"]
    listed = {"type": "array", "items": item}
    (told,) = complaints(schema_with({"rule": "true"}, items=listed))
    assert told.endswith("the uncorrelatable portion of the schema within root.properties[spec].properties[items]")
    as_map = listed | {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}
    assert complaints(schema_with({"rule": "true"}, items=as_map)) == []
    atomic = {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": item}}
    (told,) = complaints(schema_with({"rule": "true"}, items=atomic))
    assert told.endswith("within root.properties[spec].properties[items]")


def test_a_rule_on_what_has_no_type():
    free = {"x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-validations": [{"rule": "true"}]}
    (told,) = complaints(schema_with({"rule": "true"}, free=free))
    assert "failed to retrieve type information" in told
