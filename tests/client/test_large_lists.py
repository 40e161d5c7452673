import json

import pytest

from sidings.api.resources import CONFIG_MAPS, PODS, WORKLOADS
from sidings.client.large_lists import FROM_BYTES, decoded, is_one


def test_who_wrote_which_field_is_left_out_and_nothing_else() -> None:
    metadata = {"name": "a", "labels": {"l": "1"}, "ownerReferences": [{"uid": "u"}], "deletionTimestamp": None}
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"x": [1.5, None]}, "status": {}}
    listed = {"kind": "PodList", "metadata": {"resourceVersion": "7", "continue": "c"}, "items": [item]}
    stored = {**item, "metadata": {**metadata, "managedFields": [{"manager": "m"}]}}
    assert decoded(json.dumps({**listed, "items": [stored]}).encode()) == {
        "metadata": listed["metadata"],
        "items": [item],
    }
    assert decoded(b'{"items": null}') == {"items": None}


def test_only_many_objects_of_kinds_whose_fields_are_known() -> None:
    raw = b" " * FROM_BYTES
    assert is_one(PODS, raw)
    assert is_one(WORKLOADS._replace(version="v1beta1"), raw)
    assert not is_one(PODS, raw[1:])
    assert not is_one(CONFIG_MAPS, raw)


@pytest.mark.parametrize("raw", [b"{", b'{"items": 1}', b'{"items": [{"metadata": []}]}'])
def test_what_is_no_list(raw: bytes) -> None:
    with pytest.raises(ValueError):
        decoded(raw)
