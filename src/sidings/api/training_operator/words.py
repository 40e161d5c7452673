"""Labels, condition types and controller names of the Training Operator (pkg/apis/kubeflow.org/v1, 1.9.4)."""

from __future__ import annotations

OPERATOR_NAME = "training.kubeflow.org/operator-name"
JOB_NAME = "training.kubeflow.org/job-name"
REPLICA_TYPE = "training.kubeflow.org/replica-type"
REPLICA_INDEX = "training.kubeflow.org/replica-index"
JOB_ROLE = "training.kubeflow.org/job-role"
MASTER_ROLE = "master"
"""The value of JOB_ROLE on the one pod that speaks for the job: whose logs an SDK shows first."""

CREATED, RUNNING, RESTARTING = "Created", "Running", "Restarting"
SUCCEEDED, FAILED, SUSPENDED = "Succeeded", "Failed", "Suspended"

OWN_MANAGER = "kubeflow.org/training-operator"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"

ON_FAILURE, ALWAYS, NEVER, EXIT_CODE = "OnFailure", "Always", "Never", "ExitCode"
"""Restart policies; ExitCode exists here only: the kubelet sees ``Never``."""

MASTER, WORKER, LAUNCHER = "Master", "Worker", "Launcher"
CHIEF, PARAMETER_SERVER, EVALUATOR = "Chief", "PS", "Evaluator"
