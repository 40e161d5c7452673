"""A JobSet and its Jobs without any server: what plans ask for happens, and a test plays the Job controller.

This is the status-driven harness of upstream's integration tests: the test says that a Job is ready, failed or
complete, and when the pods of a Job being deleted are gone. Everything else is the planner's.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.api import objects, timestamps
from sidings.api.feature_gates import NONE, FeatureGates
from sidings.api.jobset import labels
from sidings.api.kinds import jobset as jobset_kind
from sidings.api.objects import Object
from sidings.api.structural import defaulting
from sidings.controllers.jobset.plan import JobSetPlan, plan
from sidings.controllers.jobset.snapshot import Snapshot, classify

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
MOST_PASSES = 20


def group(name: str, replicas: int = 1, **fields: Any) -> Object:
    """A group of one-pod Jobs."""
    job_spec = {
        "parallelism": 1,
        "completions": 1,
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "img:1"}]}},
    }
    return {"name": name, "replicas": replicas, "template": {"spec": job_spec}, **fields}


def make_jobset(*groups: Object, name: str = "js", annotations: dict[str, str] | None = None, **spec: Any) -> Object:
    """As the API server would have stored it; without groups it has ``a`` with one Job and ``b`` with three."""
    jobset: Object = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": "ns", "uid": f"{name}-uid", "annotations": annotations or {}},
        "spec": {"replicatedJobs": list(groups) or [group("a"), group("b", 3)], **spec},
    }
    defaulting.default(jobset_kind.SCHEMA, jobset)
    jobset_kind.KIND.rules.default_on_create(jobset)
    return jobset


class Cluster:
    """One JobSet, its Jobs by name, and a clock that moves a second with every pass."""

    def __init__(self, jobset: Object, gates: FeatureGates = NONE) -> None:
        self.jobset = jobset
        self.gates = gates
        self.pods: list[Object] = []
        self.jobs: dict[str, Object] = {}
        self.service: Object | None = None
        self.claims: dict[str, Object] = {}
        self.events: list[tuple[str, str, str]] = []
        self.deleted = False
        self.failure = ""
        self.now = NOW
        self._created = 0

    def settle(self) -> Cluster:
        """Pass after pass, until one has nothing to do."""
        for _ in range(MOST_PASSES):
            self.now += timedelta(seconds=1)
            if not self._carry_out(plan(self._snapshot(), self.now)):
                return self
        raise AssertionError("the JobSet does not come to rest")

    def complete(self, *names: str) -> Cluster:
        return self._finish(names, "SuccessCriteriaMet", "Complete", "CompletionsReached", "", succeeded=1)

    def fail(self, *names: str, reason: str = "BackoffLimitExceeded", message: str = "") -> Cluster:
        return self._finish(names, "FailureTarget", "Failed", reason, message, failed=1)

    def ready(self, *names: str) -> Cluster:
        for name in names:
            self._set_status(name, active=1, ready=1)
        return self.settle()

    def active(self, *names: str) -> Cluster:
        for name in names:
            self._set_status(name, active=1, ready=0)
        return self.settle()

    def finalize(self, count: int = 0) -> Cluster:
        """Let ``count`` of the Jobs being deleted vanish, or all of them."""
        going = [name for name, job in self.jobs.items() if objects.is_deleting(job)]
        for name in going[: count or len(going)]:
            del self.jobs[name]
        return self.settle()

    def change(self, **spec: Any) -> Cluster:
        self.jobset = {**self.jobset, "spec": {**self.jobset["spec"], **spec}}
        return self.settle()

    @property
    def status(self) -> Object:
        return self.jobset.get("status") or {}

    @property
    def living(self) -> list[str]:
        return sorted(name for name, job in self.jobs.items() if not objects.is_deleting(job))

    @property
    def restarts(self) -> tuple[int, int]:
        """(restarts, those that count towards the maximum)."""
        return self.status.get("restarts", 0), self.status.get("restartsCountTowardsMax", 0)

    def condition(self, type_: str) -> tuple[str, str] | None:
        """(status, reason)."""
        for condition in self.status.get("conditions") or ():
            if condition["type"] == type_:
                return condition["status"], condition["reason"]
        return None

    def counts(self, group_name: str) -> str:
        """``r1 s2 f0 A1 S0`` without what is zero: ready, succeeded, failed, active, suspended."""
        status = next(s for s in self.status["replicatedJobsStatus"] if s["name"] == group_name)
        letters = {"ready": "r", "succeeded": "s", "failed": "f", "active": "A", "suspended": "S"}
        return " ".join(f"{letter}{status[field]}" for field, letter in letters.items() if status[field])

    def attempts(self) -> dict[int, int]:
        """Jobs of each attempt."""
        found: dict[int, int] = {}
        for job in self.jobs.values():
            attempt = int(objects.labels_of(job)[labels.RESTART_ATTEMPT])
            found[attempt] = found.get(attempt, 0) + 1
        return found

    def _snapshot(self) -> Snapshot:
        children = classify(self.jobset, self.jobs.values(), self.gates)
        return Snapshot(
            self.jobset, children, self.service is not None, frozenset(self.claims), self.gates, tuple(self.pods)
        )

    def _carry_out(self, decided: JobSetPlan) -> bool:
        """Whether there was anything to do."""
        for job in decided.delete_jobs:
            changed = objects.copy_of(job)
            changed["metadata"]["deletionTimestamp"] = timestamps.to_text(self.now)
            self.jobs[objects.name_of(job)] = changed
        if decided.service is not None:
            self.service = decided.service
        self.claims |= {objects.name_of(claim): claim for claim in decided.claims}
        for job in (job for jobs in decided.create_jobs for job in jobs):
            assert objects.name_of(job) not in self.jobs, "a taken name"
            self._created += 1
            metadata = {**job["metadata"], "uid": f"job-{self._created}"}
            self.jobs[objects.name_of(job)] = {**job, "metadata": metadata, "status": {}}
        self.jobs |= {objects.name_of(job): job for job in (*decided.clear_start, *decided.update_jobs)}
        self.failure = decided.failure
        if decided.status is not None and not decided.failure:
            self.jobset = {**self.jobset, "status": decided.status}
            self.events += [(note.type, note.reason, note.message) for note in decided.events]
        self.deleted = self.deleted or decided.expired
        return bool(
            decided.delete_jobs
            or decided.service
            or decided.claims
            or decided.create_jobs
            or decided.update_jobs
            or (decided.status is not None and not decided.failure)
        )

    def _finish(
        self, names: tuple[str, ...], interim: str, final: str, reason: str, message: str, **counts: int
    ) -> Any:
        for name in names:
            self.now += timedelta(seconds=1)
            moment = timestamps.to_text(self.now)
            self._set_status(
                name,
                conditions=[
                    {"type": t, "status": "True", "reason": reason, "message": message, "lastTransitionTime": moment}
                    for t in (interim, final)
                ],
                **counts,
            )
        return self.settle()

    def _set_status(self, name: str, **status: Any) -> None:
        self.jobs[name] = {**self.jobs[name], "status": status}
