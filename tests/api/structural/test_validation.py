import pytest

from sidings.api import schemas
from sidings.api.structural import validate, validate_status
from sidings.api.structural.validation import RULES_NOT_CHECKED

JOB_SET = schemas.schema("jobset.x-k8s.io", "v1alpha2", "JobSet")
TRAIN_JOB = schemas.schema("trainer.kubeflow.org", "v1alpha1", "TrainJob")


def job_set(**spec):
    template = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}}
    return {"spec": {"replicatedJobs": [{"name": "a", "template": template}], **spec}}


def texts(errors):
    return [str(error) for error in errors]


def test_a_good_object_has_no_errors():
    assert validate(JOB_SET, job_set()) == []


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"ttlSecondsAfterFinished": -1},
            "spec.ttlSecondsAfterFinished: Invalid value: -1: spec.ttlSecondsAfterFinished in body should be greater "
            "than or equal to 0",
        ),
        (
            {"successPolicy": {"operator": "Some"}},
            'spec.successPolicy.operator: Unsupported value: "Some": supported values: "All", "Any"',
        ),
        (
            {"volumeClaimPolicies": [{}] * 51},
            "spec.volumeClaimPolicies: Too many: 51: must have at most 50 items",
        ),
        (
            {"coordinator": {}},
            "spec.coordinator.replicatedJob: Required value",
        ),
        (
            {"suspend": "yes"},
            'spec.suspend: Invalid value: "string": spec.suspend in body must be of type boolean: "string"',
        ),
        (
            {"suspend": None},
            'spec.suspend: Invalid value: "null": spec.suspend in body must be of type boolean: "null"',
        ),
    ],
)
def test_errors_are_worded_as_upstream_words_them(spec, text):
    errors = validate(JOB_SET, job_set(**spec))
    assert texts(errors)[0] == text


def test_errors_that_keep_cel_rules_from_running_say_so():
    assert RULES_NOT_CHECKED in validate(JOB_SET, job_set(successPolicy={"operator": "Some"}))
    assert RULES_NOT_CHECKED not in validate(JOB_SET, job_set(ttlSecondsAfterFinished=-1))
    assert RULES_NOT_CHECKED not in validate({"type": "object", "required": ["a"]}, {})


def test_a_required_list_that_is_null_is_of_the_wrong_type():
    obj = job_set()
    obj["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"] = None
    path = "spec.replicatedJobs[0].template.spec.template.spec.containers"
    assert texts(validate(JOB_SET, obj)) == [
        f'{path}: Invalid value: "null": {path} in body must be of type array: "null"',
        str(RULES_NOT_CHECKED),
    ]


def test_duplicates_in_list_maps_and_sets():
    obj = job_set()
    obj["spec"]["replicatedJobs"] *= 2
    assert texts(validate(JOB_SET, obj)) == ['spec.replicatedJobs[1]: Duplicate value: {"name":"a"}']
    schema = {
        "type": "object",
        "properties": {"s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}},
    }
    assert texts(validate(schema, {"s": ["a", "b", "a"]})) == ['s[2]: Duplicate value: "a"']


def test_numbers_and_booleans_are_different_elements_of_a_set():
    schema = {"type": "object", "properties": {"s": {"type": "array", "x-kubernetes-list-type": "set", "items": {}}}}
    assert validate(schema, {"s": [1, True, "1"]}) == []


def test_the_status_is_checked_as_an_object_of_its_own():
    status = {
        "trainerStatus": {"progressPercentage": 150, "metrics": [{"name": "loss", "value": 1}]},
        "jobsStatus": [{"name": "node"}],
    }
    assert texts(validate_status(TRAIN_JOB, {"status": status})) == [
        "status.trainerStatus.progressPercentage: Invalid value: 150: trainerStatus.progressPercentage in body should "
        "be less than or equal to 100",
        'status.trainerStatus.metrics[0].value: Invalid value: "integer": trainerStatus.metrics[0].value in body must '
        'be of type string: "integer"',
        *(
            f"status.jobsStatus[0].{count}: Required value"
            for count in ("active", "failed", "ready", "succeeded", "suspended")
        ),
        str(RULES_NOT_CHECKED),
    ]
    assert validate_status(TRAIN_JOB, {}) == []


LIMITS = {
    "type": "object",
    "properties": {
        "short": {"type": "string", "maxLength": 3},
        "long": {"type": "string", "minLength": 2},
        "word": {"type": "string", "pattern": "^[a-z]+$"},
        "hard": {"type": "string", "pattern": "(a+)+$"},
        "unread": {"type": "string", "pattern": "(?=a)"},
        "time": {"type": "string", "format": "date-time"},
        "above": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "below": {"type": "number", "maximum": 10, "exclusiveMaximum": True},
        "even": {"type": "integer", "multipleOf": 2},
        "few": {"type": "array", "minItems": 1, "items": {"type": "integer"}},
        "full": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "string"}},
        "mixed": {"x-kubernetes-int-or-string": True},
        "amount": {"x-kubernetes-int-or-string": True, "format": "quantity"},
        "either": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "anyOf": [{"required": ["a"]}]},
    },
}


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        ({"short": "abcd"}, "short: Too long: may not be more than 3 bytes"),
        ({"long": "a"}, 'long: Invalid value: "a": long in body should be at least 2 chars long'),
        ({"word": "a\n"}, "word: Invalid value: \"a\\n\": word in body should match '^[a-z]+$'"),
        ({"hard": "aa" * 20 + "b"}, f"hard: Invalid value: \"{'aa' * 20}b\": hard in body should match '(a+)+$'"),
        (
            {"unread": "a"},
            "unread: Invalid value: \"a\": unread in body should match '(?=a)', which cannot be asked: error parsing "
            "regexp: invalid or unsupported Perl syntax: `(?=`",
        ),
        ({"time": "now"}, 'time: Invalid value: "now": time in body must be of type date-time: "now"'),
        ({"above": 0}, "above: Invalid value: 0: above in body should be greater than 0"),
        ({"below": 10.5}, "below: Invalid value: 10.5: below in body should be less than 10"),
        ({"even": 3}, "even: Invalid value: 3: even in body should be a multiple of 2"),
        ({"even": 2.5}, 'even: Invalid value: "number": even in body must be of type integer: "number"'),
        ({"even": True}, 'even: Invalid value: "boolean": even in body must be of type integer: "boolean"'),
        ({"few": []}, "few: Invalid value: 0: few in body should have at least 1 items"),
        ({"full": {}}, "full: Invalid value: 0: full in body should have at least 1 properties"),
        ({"full": {"a": "", "b": "", "c": ""}}, "full: Too many: 3: must have at most 2 items"),
        ({"mixed": 1.5}, 'mixed: Invalid value: "number": mixed in body must be of type integer,string: "number"'),
        (
            {"either": {}},
            'either: Invalid value: "": "either" must validate one and only one schema (oneOf). Found none valid',
        ),
        ({"any": {}}, 'any: Invalid value: "": "any" must validate at least one schema (anyOf)'),
    ],
)
def test_limits(obj, text):
    assert texts(validate(LIMITS, obj)) == [text]


def test_limits_that_hold():
    good = {"short": "abc", "word": "a", "time": "2026-11-30T12:00:00Z", "mixed": "50%", "amount": "1.5Gi", "even": 4}
    assert validate(LIMITS, good) == []
    assert validate(LIMITS, {"amount": "1.5 GiB"}) != []
