"""The controller of TFJobs."""

from __future__ import annotations

from sidings.api.resources import TF_JOBS
from sidings.controllers.tfjob.operator import TensorFlowOperator
from sidings.controllers.training_operator.controller import TrainingJobController


class TFJobController(TrainingJobController):
    name = "tfjob-controller"
    resource = TF_JOBS
    operator = TensorFlowOperator()
