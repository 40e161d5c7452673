"""What becomes of topology annotations in a Workload."""

from __future__ import annotations

import pytest

from sidings.api.kueue import keys
from sidings.controllers.kueue.jobs.integration import POD_INDEX, BuildError
from sidings.controllers.kueue.jobs.topology_request import of_template


def template(**annotations: str) -> dict[str, object]:
    return {"metadata": {"annotations": annotations}}


def test_annotations_become_the_request() -> None:
    asked = {keys.REQUIRED_TOPOLOGY: "rack", keys.SLICE_REQUIRED_TOPOLOGY: "host", keys.SLICE_SIZE: "2"}
    assert of_template(template(**asked), POD_INDEX) == {
        "podIndexLabel": POD_INDEX,
        "required": "rack",
        "podSetSliceRequiredTopology": "host",
        "podSetSliceSize": 2,
    }
    inner = '[{"topology": "host", "size": 2}]'
    request = of_template(template(**{keys.SLICE_CONSTRAINTS: inner}), POD_INDEX)
    assert request["podsetSliceRequiredTopologyConstraints"] == [{"topology": "host", "size": 2}]


def test_slices_that_cannot_be_read_keep_the_workload_from_being_made() -> None:
    with pytest.raises(BuildError, match="must be a JSON list"):
        of_template(template(**{keys.SLICE_CONSTRAINTS: "{"}), POD_INDEX)
