from __future__ import annotations

import random

from sidings.api.objects import Object
from sidings.clock import ManualClock
from sidings.controllers.mpijob.controller import MPIJobController
from sidings.controllers.software import Installed
from tests.conformance.world import world


def job(*command: str) -> Object:
    container = {"name": "mpi", "image": "img:1", "command": list(command)}
    return {"spec": {"mpiReplicaSpecs": {"Launcher": {"template": {"spec": {"containers": [container]}}}}}}


async def told(installed: Installed, *command: str) -> list[str]:
    async with world() as (client, _, _):
        controller = MPIJobController(client, ManualClock(), random.Random(1), installed)
        return [finding.message for finding in controller.obstacles(job(*command))]


async def test_a_launcher_needs_what_its_command_names_and_kubectl() -> None:
    [message] = await told(lambda program, image: False, "mpirun", "python", "x.py")
    assert message.startswith("spec.mpiReplicaSpecs.Launcher needs mpirun and kubectl, which pods do not find")
    [message] = await told(lambda program, image: False, "/opt/run.sh")
    assert "needs kubectl, which" in message


async def test_a_launcher_that_has_all_is_told_nothing() -> None:
    assert await told(lambda program, image: image == "img:1", "mpirun") == []
