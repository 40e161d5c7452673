from typing import Any

import pytest

from sidings.api.cronjob import validation
from sidings.api.kinds.cron_job import KIND
from sidings.api.objects import Object


def cron_job(name: str = "c", **spec: Any) -> Object:
    """With its defaults."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "img:1"}]}}
    wanted = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}
    made: Object = {"metadata": {"name": name, "namespace": "default", "uid": "u"}, "spec": wanted | spec}
    KIND.rules.default(made)
    return made


def test_a_valid_one_gets_its_defaults() -> None:
    made = cron_job()
    assert validation.errors(made) == []
    spec = made["spec"]
    assert (spec["concurrencyPolicy"], spec["suspend"]) == ("Allow", False)
    assert (spec["successfulJobsHistoryLimit"], spec["failedJobsHistoryLimit"]) == (3, 1)
    assert "parallelism" not in spec["jobTemplate"]["spec"], "a Job gets its defaults when it is made"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"schedule": ""}, "spec.schedule: Required value"),
        ({"schedule": "* * *"}, 'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'),
        (
            {"schedule": "TZ=UTC 0 * * * *"},
            'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone '
            "field instead",
        ),
        ({"timeZone": ""}, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'),
        ({"timeZone": "Mars/Base"}, 'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'),
        ({"timeZone": "-a/b"}, 'spec.timeZone: Invalid value: "-a/b": unknown time zone -a/b'),
        ({"timeZone": "../passwd"}, 'spec.timeZone: Invalid value: "../passwd": unknown time zone ../passwd'),
        (
            {"timeZone": "local"},
            'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in '
            "https://www.iana.org/time-zones",
        ),
        (
            {"concurrencyPolicy": "Never"},
            'spec.concurrencyPolicy: Unsupported value: "Never": supported values: "Allow", "Forbid", "Replace"',
        ),
        (
            {"startingDeadlineSeconds": -1},
            "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
        ),
    ],
)
def test_refused(spec: Object, message: str) -> None:
    assert [str(error) for error in validation.errors(cron_job(**spec))] == [message]


def test_the_job_is_checked_where_it_stands() -> None:
    pod = {"spec": {"restartPolicy": "Always", "containers": [{"name": "main", "image": "img:1"}]}}
    made = cron_job(jobTemplate={"spec": {"template": pod, "parallelism": -1}})
    assert [error.field for error in validation.errors(made)] == [
        "spec.jobTemplate.spec.parallelism",
        "spec.jobTemplate.spec.template.spec.restartPolicy",
    ]


def test_the_job_gets_its_selector_when_it_is_made() -> None:
    made = cron_job()
    made["spec"]["jobTemplate"]["spec"] |= {"manualSelector": True, "selector": {"matchLabels": {"a": "b"}}}
    assert [str(error) for error in validation.errors(made)] == [
        'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ]


def test_conditions_of_a_failure_policy_are_true_unless_it_says_otherwise() -> None:
    made = cron_job()
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    made["spec"]["jobTemplate"]["spec"]["podFailurePolicy"] = {"rules": [rule]}
    KIND.rules.default(made)
    assert rule["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]


def test_the_name_leaves_room_for_those_of_the_jobs() -> None:
    assert validation.name_errors(cron_job("x" * 52)) == []
    [error] = validation.name_errors(cron_job("x" * 53))
    assert str(error).endswith("must be no more than 52 bytes")
