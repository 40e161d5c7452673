"""The controller of MPIJobs."""

from __future__ import annotations

from sidings.api.resources import MPI_JOBS
from sidings.controllers.mpijob.operator import MpiOperator
from sidings.controllers.training_operator.controller import TrainingJobController


class MPIJobController(TrainingJobController):
    name = "mpijob-controller"
    resource = MPI_JOBS
    operator = MpiOperator()
