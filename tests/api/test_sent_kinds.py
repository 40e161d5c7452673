from typing import Any

import pytest

from sidings.api import sent_kinds
from sidings.api.status import BadRequest


def test_what_is_sent_is_read_and_what_is_unknown_is_left_out() -> None:
    sent = {"kind": "DeleteOptions", "gracePeriodSeconds": 0, "dryRun": ["All"], "else": 1}
    assert sent_kinds.read("DeleteOptions", sent) == {
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
        "dryRun": ["All"],
    }


@pytest.mark.parametrize(
    ("kind", "sent", "told"),
    [
        ("DeleteOptions", {"gracePeriodSeconds": [{}]}, "cannot unmarshal array"),
        ("DeleteOptions", {"dryRun": True}, "cannot unmarshal bool"),
        ("DeleteOptions", [], "cannot unmarshal array into Go value of type v1.DeleteOptions"),
        ("Eviction", {"deleteOptions": {"preconditions": "x"}}, "cannot unmarshal string"),
        ("Binding", {"target": 1}, "cannot unmarshal number"),
        ("TokenRequest", {"spec": {"expirationSeconds": "x"}}, "cannot unmarshal string"),
    ],
)
def test_wrong_types_are_refused_as_go_refuses_them(kind: str, sent: Any, told: str) -> None:
    with pytest.raises(BadRequest) as caught:
        sent_kinds.read(kind, sent)
    assert told in str(caught.value)
    assert str(caught.value).startswith(f'{kind} in version "v1" cannot be handled as a {kind}: json: ')
