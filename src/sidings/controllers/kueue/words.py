"""Conditions, reasons and messages of Workloads and queues (Kueue main of August 2026, after v0.19).

Those of the scheduler are in ``queue.reasons``.
"""

from __future__ import annotations

# Conditions of a Workload.
QUOTA_RESERVED = "QuotaReserved"
ADMITTED = "Admitted"
PODS_READY = "PodsReady"
EVICTED = "Evicted"
PREEMPTED = "Preempted"
REQUEUED = "Requeued"
FINISHED = "Finished"
DEACTIVATION_TARGET = "DeactivationTarget"

# QuotaReserved=False of the workload controller.
SUSPENDED = "Suspended"
MISCONFIGURED = "Misconfigured"
PENDING_EVALUATION = "PendingEvaluation"
WAITING_FOR_PODS_READY = "WaitingForPodsReady"
WAITING_FOR_PODS_READY_MESSAGE = "waiting for all admitted workloads to be in PodsReady condition"
DEACTIVATED = "Deactivated"
ON_HOLD = "OnHold"
ADMISSION_GATED = "AdmissionGated"
PENDING = "Workload is pending evaluation in the scheduling queue"

# Admitted.
NO_RESERVATION = "NoReservation"
NO_RESERVATION_MESSAGE = "The workload has no reservation"
UNSATISFIED_CHECKS = "UnsatisfiedAdmissionChecks"
UNSATISFIED_CHECKS_MESSAGE = "The workload has not all checks ready"
ADMITTED_MESSAGE = "The workload is admitted"

# Evicted, and Requeued after it.
EVICTED_BY_PREEMPTION = "Preempted"
PODS_READY_TIMEOUT = "PodsReadyTimeout"
ADMISSION_CHECK = "AdmissionCheck"
CLUSTER_QUEUE_STOPPED = "ClusterQueueStopped"
LOCAL_QUEUE_STOPPED = "LocalQueueStopped"
NODE_FAILURES = "NodeFailures"
REACTIVATED = "Reactivated"
BACKOFF_FINISHED = "BackoffFinished"
CLUSTER_QUEUE_RESTARTED = "ClusterQueueRestarted"
LOCAL_QUEUE_RESTARTED = "LocalQueueRestarted"
RELEASED_AT_ONCE = frozenset({EVICTED_BY_PREEMPTION, NODE_FAILURES})
"""Evictions after which a workload waits in its queue again as soon as it has stopped."""

# DeactivationTarget.
MAXIMUM_EXECUTION_TIME_EXCEEDED = "MaximumExecutionTimeExceeded"
REQUEUING_LIMIT_EXCEEDED = "RequeuingLimitExceeded"

# PodsReady.
WAIT_FOR_START = "WaitForStart"
WAIT_FOR_START_MESSAGE = "Not all pods are ready or succeeded"
WAIT_FOR_RECOVERY = "WaitForRecovery"
WAIT_FOR_RECOVERY_MESSAGE = "At least one pod has failed, waiting for recovery"
STARTED = "Started"
STARTED_MESSAGE = "All pods reached readiness and the workload is running"
RECOVERED = "Recovered"

# Finished.
SUCCEEDED = "Succeeded"
FAILED = "Failed"
FAILED_TO_START = "FailedToStart"
OUT_OF_SYNC = "OutOfSync"

DELETED = "Deleted"
"""The event of what was kept for as long as the configuration says."""

# Who reports events.
ADMISSION = "kueue-admission"
WORKLOAD_CONTROLLER = "kueue-workload-controller"
