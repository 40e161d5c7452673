from sidings.api.cel import rules

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "x-kubernetes-validations": [
                {"rule": "self.min <= self.max", "message": "min is above max", "fieldPath": ".min"},
                {"rule": "!has(oldSelf.name) || self.name == oldSelf.name", "message": "Value is immutable"},
            ],
            "properties": {
                "min": {"type": "integer"},
                "max": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 10"}]},
                "jobs": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "x-kubernetes-validations": [
                            {
                                "rule": "self.count >= oldSelf.count",
                                "messageExpression": "'not below ' + string(oldSelf.count)",
                                "reason": "FieldValueForbidden",
                            }
                        ],
                    },
                },
            },
        }
    },
}


def texts(value, *old):
    return [str(error) for error in rules.broken(SCHEMA, {"spec": value}, *({"spec": each} for each in old))]


def test_rules_hold_of_every_value_at_their_place():
    assert texts({"min": 1, "max": 2}) == []
    assert texts({"min": 3, "max": 2}) == ["spec.min: Invalid value: min is above max"]
    assert texts({"min": 3, "max": 12}) == ["spec.max: Invalid value: 12: failed rule: self < 10"]


def test_a_rule_that_cannot_be_answered_is_broken():
    assert texts({"min": 1}) == ["spec.min: Invalid value: no such key: max evaluating rule: min is above max"]


def test_transition_rules_are_asked_where_there_was_a_value():
    good = {"min": 1, "max": 2}
    assert texts({**good, "name": "b"}, {**good, "name": "a"}) == ["spec: Invalid value: Value is immutable"]
    assert texts({**good, "name": "b"}) == []


def test_items_of_a_map_list_are_compared_by_their_keys():
    good = {"min": 1, "max": 2}
    old = {**good, "jobs": [{"name": "a", "count": 1}, {"name": "b", "count": 5}]}
    new = {**good, "jobs": [{"name": "b", "count": 3}, {"name": "c", "count": 0}]}
    (error,) = rules.broken(SCHEMA, {"spec": new}, {"spec": old})
    assert (str(error), error.reason) == ("spec.jobs[0]: Invalid value: not below 5", "FieldValueForbidden")


def test_a_rule_may_be_asked_of_new_values_too():
    rule = {"rule": "self == oldSelf.orValue(1)", "optionalOldSelf": True, "message": "starts at 1, and stays"}
    schema = {"type": "integer", "x-kubernetes-validations": [rule]}
    assert list(rules.broken(schema, 1)) == []
    assert len(list(rules.broken(schema, 2))) == 1
    assert list(rules.broken(schema, 2, 2)) == []


def test_a_rule_on_the_whole_object_has_no_path():
    schema = {"type": "object", "x-kubernetes-validations": [{"rule": "has(self.a)", "message": "a is missing"}]}
    assert [str(error) for error in rules.broken(schema, {})] == ["<nil>: Invalid value: a is missing"]


def test_a_rule_that_would_take_too_long_is_broken():
    rule = {"rule": "self.all(a, self.all(b, a + b >= 0))"}
    schema = {"type": "array", "x-kubernetes-validations": [rule]}
    assert list(rules.broken(schema, [1] * 100)) == []
    (error,) = rules.broken(schema, [1] * 1000)
    assert "call cost exceeds limit for rule: self.all" in error.text
    several = {"type": "array", "items": schema}
    assert len(list(rules.broken(several, [[1] * 1000] * 9))) == 1, "and no other rule is asked"


def test_values_of_the_wrong_type_are_told():
    schema = {"x-kubernetes-validations": [{"rule": "quantity(self).isLessThan(quantity('1'))"}]}
    (error,) = rules.broken(schema, 5)
    assert "'no such overload': call arguments did not match" in error.text


def test_whether_there_are_rules():
    assert rules.has_rules(SCHEMA)
    assert not rules.has_rules({"properties": {"a": {"items": {"type": "string"}}}})
