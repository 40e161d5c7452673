"""The controller of JAXJobs."""

from __future__ import annotations

from sidings.api.resources import JAX_JOBS
from sidings.controllers.jaxjob.operator import JaxOperator
from sidings.controllers.training_operator.controller import TrainingJobController


class JAXJobController(TrainingJobController):
    name = "jaxjob-controller"
    resource = JAX_JOBS
    operator = JaxOperator()
