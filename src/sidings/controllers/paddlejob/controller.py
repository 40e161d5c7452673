"""The controller of PaddleJobs."""

from __future__ import annotations

from sidings.api.resources import PADDLE_JOBS
from sidings.controllers.paddlejob.operator import PaddleOperator
from sidings.controllers.training_operator.controller import TrainingJobController


class PaddleJobController(TrainingJobController):
    name = "paddlejob-controller"
    resource = PADDLE_JOBS
    operator = PaddleOperator()
