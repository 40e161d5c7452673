"""The controller of XGBoostJobs."""

from __future__ import annotations

from sidings.api.resources import XGBOOST_JOBS
from sidings.controllers.training_operator.controller import TrainingJobController
from sidings.controllers.xgboostjob.operator import XGBoostOperator


class XGBoostJobController(TrainingJobController):
    name = "xgboostjob-controller"
    resource = XGBOOST_JOBS
    operator = XGBoostOperator()
