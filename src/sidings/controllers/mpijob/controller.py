"""The controller of MPIJobs."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import PurePosixPath

from sidings.api.objects import Object
from sidings.api.resources import MPI_JOBS
from sidings.api.training_operator import framework, words
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.mpijob.operator import MpiOperator
from sidings.controllers.software import Finding, Installed, Need, everything, missing
from sidings.controllers.training_operator.controller import TrainingJobController

STARTERS = ("mpirun", "mpiexec")
REMEDY = "apt-get install openmpi-bin; https://kubernetes.io/docs/tasks/tools for kubectl"


class MPIJobController(TrainingJobController):
    """``installed``: whether pods of an image find a program."""

    name = "mpijob-controller"
    resource = MPI_JOBS
    operator = MpiOperator()

    def __init__(self, client: Client, clock: Clock, rng: random.Random, installed: Installed = everything) -> None:
        super().__init__(client, clock, rng)
        self._installed = installed

    def obstacles(self, job: Object) -> Iterable[Finding]:
        """A launcher without ``kubectl`` reaches no worker."""
        launcher = job["spec"][framework.MPI.replica_specs][words.LAUNCHER]["template"]["spec"]["containers"][0]
        image, command = str(launcher["image"]), (launcher.get("command") or [""])[0]
        starter = (command,) if PurePosixPath(command).name in STARTERS else ()
        need = Need((*starter, "kubectl"), REMEDY)
        path = f"spec.{framework.MPI.replica_specs}.{words.LAUNCHER}"
        found = missing(path, need, "MPIJob", lambda program: self._installed(program, image))
        return () if found is None else (found,)
