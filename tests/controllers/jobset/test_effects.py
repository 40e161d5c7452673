from sidings.api import fields
from sidings.api.job import updates
from sidings.api.status import Forbidden, Invalid
from sidings.controllers.jobset import effects
from tests.controllers.job.jobs import make_job


def refusal(**status: object) -> Invalid:
    """Of a suspended Job with this status, whose pods are to go elsewhere."""
    old = make_job(suspend=True, status=dict(status))
    new = make_job(suspend=False, status=dict(status))
    new["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "ssd"}
    return fields.to_invalid("batch", "Job", "j", updates.errors(new, old))


def test_a_template_is_fixed_until_the_pods_have_stopped() -> None:
    assert not effects.stays_refused(refusal(startTime="2026-01-01T00:00:00Z", active=1))


def test_what_no_patience_mends() -> None:
    wrong = fields.invalid("spec.maxFailedIndexes", 2, "must be less than or equal to completions")
    assert effects.stays_refused(fields.to_invalid("batch", "Job", "j", [wrong]))
    moving = fields.invalid("spec.template", None, updates.IMMUTABLE)
    assert effects.stays_refused(fields.to_invalid("batch", "Job", "j", [moving, wrong]))
    assert effects.stays_refused(Forbidden("exceeded quota"))
