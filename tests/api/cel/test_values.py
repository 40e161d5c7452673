from datetime import UTC, datetime, timedelta

from sidings.api.cel import rules, values

SCHEMA = {
    "type": "object",
    "properties": {
        "until": {"type": "string", "format": "date-time"},
        "waits": {"type": "array", "items": {"type": "string", "format": "duration"}},
        "days": {"type": "object", "additionalProperties": {"type": "string", "format": "date"}},
        "raw": {"type": "string", "format": "byte"},
        "name": {"type": "string"},
        "port": {"x-kubernetes-int-or-string": True},
    },
}


def test_formats_make_values():
    given = {
        "until": "2026-11-30T10:00:00Z",
        "waits": ["1h", "x"],
        "days": {"a": "2026-11-30"},
        "raw": "aGk=",
        "name": "1h",
        "port": "http",
    }
    assert values.of_json(SCHEMA, given) == {
        "until": datetime(2026, 11, 30, 10, tzinfo=UTC),
        "waits": [timedelta(hours=1), "x"],
        "days": {"a": datetime(2026, 11, 30, tzinfo=UTC)},
        "raw": b"hi",
        "name": "1h",
        "port": "http",
    }


def test_whether_there_is_any():
    assert values.has_formats(SCHEMA)
    assert not values.has_formats({"type": "object", "properties": {"a": {"type": "string", "format": "hostname"}}})


def test_rules_compare_times():
    rule = {
        "rule": "self.until > timestamp('2026-01-01T00:00:00Z') && self.waits[0] <= duration('2h')",
        "message": "no",
    }
    schema = {**SCHEMA, "x-kubernetes-validations": [rule]}
    assert list(rules.broken(schema, {"until": "2026-11-30T10:00:00Z", "waits": ["1h"]})) == []
    (error,) = rules.broken(schema, {"until": "2025-11-30T10:00:00Z", "waits": ["1h"]})
    assert str(error) == "<nil>: Invalid value: no"


def test_an_error_shows_the_text_as_it_was_written():
    for given, text in (("date-time", "2026-11-30T10:00:00Z"), ("duration", "1h"), ("byte", "aGk=")):
        rule = {"rule": "self != self", "message": "no"}
        schema = {"type": "string", "format": given, "x-kubernetes-validations": [rule]}
        (error,) = rules.broken(schema, text)
        assert str(error) == f'<nil>: Invalid value: "{text}": no'
