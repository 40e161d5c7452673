"""The controller of PyTorchJobs."""

from __future__ import annotations

from sidings.api.resources import PYTORCH_JOBS
from sidings.controllers.pytorchjob.operator import PyTorchOperator
from sidings.controllers.training_operator.controller import TrainingJobController


class PyTorchJobController(TrainingJobController):
    name = "pytorchjob-controller"
    resource = PYTORCH_JOBS
    operator = PyTorchOperator()
