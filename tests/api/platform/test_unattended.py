"""What a job is told whose component is off."""

from __future__ import annotations

import json

import pytest

from sidings.api.objects import Object
from sidings.api.platform.components import Component
from sidings.api.platform.unattended import message, waits

CLUSTER = {"kind": "DataScienceCluster", "metadata": {"name": "default-dsc"}}
OPERATOR = {"kind": "JobSetOperator", "metadata": {"name": "cluster"}}


@pytest.mark.parametrize(
    ("component", "switch", "command", "patch"),
    [
        (
            Component.TRAINER,
            CLUSTER,
            "kubectl patch datascienceclusters.datasciencecluster.opendatahub.io default-dsc",
            {"spec": {"components": {"trainer": {"managementState": "Managed"}}}},
        ),
        (
            Component.KUEUE,
            CLUSTER,
            "kubectl patch datascienceclusters.datasciencecluster.opendatahub.io default-dsc",
            {"spec": {"components": {"kueue": {"managementState": "Unmanaged"}}}},
        ),
        (
            Component.JOB_SET,
            OPERATOR,
            "kubectl patch jobsetoperators.operator.openshift.io cluster",
            {"spec": {"managementState": "Managed"}},
        ),
    ],
)
def test_the_switch_is_named_with_the_command(
    component: Component, switch: Object, command: str, patch: Object
) -> None:
    text = message(component, switch)
    assert f"the component {component} is Removed in {switch['kind']} {switch['metadata']['name']}." in text
    said, _, argument = text.partition("To switch it on: ")[2].partition(" --type=merge -p ")
    assert (said, json.loads(argument.strip("'"))) == (command, patch)


@pytest.mark.parametrize(
    ("job", "does"),
    [
        ({}, True),
        ({"spec": {"suspend": True}}, False),
        ({"spec": {"runPolicy": {"suspend": True}}}, False),
        ({"status": {"conditions": [{"type": "Complete", "status": "True"}]}}, False),
        ({"status": {"conditions": [{"type": "Complete", "status": "False"}]}}, True),
        ({"status": {"conditions": [{"type": "Admitted", "status": "True"}]}}, False),
    ],
)
def test_who_waits(job: Object, does: bool) -> None:
    assert waits(job) is does
