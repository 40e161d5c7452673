"""What goes over the wire of an error, and what comes back."""

import pytest

from sidings.api.status import BadRequest, Cause, InternalError, Invalid, NotFound, from_status


@pytest.mark.parametrize(
    "error",
    [
        NotFound('jobs.batch "j" not found', name="j", group="batch", kind="jobs"),
        Invalid("no", name="j", kind="Job", causes=[Cause("FieldValueRequired", "Required value", "spec.x")]),
    ],
)
def test_an_error_is_the_same_on_the_other_side(error: NotFound | Invalid) -> None:
    again = from_status(error.to_status())
    assert type(again) is type(error)
    assert again.to_status() == error.to_status()


def test_an_answer_without_a_reason_has_none_on_the_other_side() -> None:
    sent = {"kind": "Status", "metadata": {}, "apiVersion": "v1", "status": "Failure", "message": "no", "code": 400}
    again = from_status(sent)
    assert isinstance(again, BadRequest)
    assert again.to_status() == sent


def test_an_answer_that_is_no_status_gets_the_reason_of_its_code() -> None:
    assert from_status({"message": "bad gateway"}, 502).to_status()["reason"] == InternalError.reason
