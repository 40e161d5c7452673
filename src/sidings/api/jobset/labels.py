"""Labels and annotations of JobSets and their children (api/jobset/v1alpha2/jobset_types.go)."""

from __future__ import annotations

JOBSET_NAME = "jobset.sigs.k8s.io/jobset-name"
JOBSET_UID = "jobset.sigs.k8s.io/jobset-uid"
REPLICATED_JOB_NAME = "jobset.sigs.k8s.io/replicatedjob-name"
REPLICATED_JOB_REPLICAS = "jobset.sigs.k8s.io/replicatedjob-replicas"
GLOBAL_REPLICAS = "jobset.sigs.k8s.io/global-replicas"
JOB_INDEX = "jobset.sigs.k8s.io/job-index"
JOB_GLOBAL_INDEX = "jobset.sigs.k8s.io/job-global-index"
JOB_KEY = "jobset.sigs.k8s.io/job-key"
RESTART_ATTEMPT = "jobset.sigs.k8s.io/restart-attempt"
JOB_RESTART_ATTEMPT = "jobset.sigs.k8s.io/job-restart-attempt"
"""With the gate RestartJob only: how often this one Job was restarted."""
GROUP_NAME = "jobset.sigs.k8s.io/group-name"
GROUP_REPLICAS = "jobset.sigs.k8s.io/group-replicas"
JOB_GROUP_INDEX = "jobset.sigs.k8s.io/job-group-index"
PRIORITY = "jobset.sigs.k8s.io/priority"
"""On pods only: their priority, which exclusive placement compares."""
COORDINATOR = "jobset.sigs.k8s.io/coordinator"

IN_PLACE_RESTART_ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt"
"""Annotation on pods, by the agent in them: the attempt at whose barrier the pod waits or which it runs."""

EXCLUSIVE_TOPOLOGY = "alpha.jobset.sigs.k8s.io/exclusive-topology"
"""Annotation: the node label in whose domains each Job of the set is alone."""
NODE_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector"
"""Annotation: the exclusive placement is made by labels and taints on nodes, not by webhooks."""
NAMESPACED_JOB = "alpha.jobset.sigs.k8s.io/namespaced-job"
NO_SCHEDULE_TAINT = "alpha.jobset.sigs.k8s.io/no-schedule"

OWN_MANAGER = "jobset.sigs.k8s.io/jobset-controller"
"""``spec.managedBy`` of a JobSet that our controller runs; absent means the same."""
