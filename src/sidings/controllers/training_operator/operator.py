"""What a framework decides for itself: the environment of its pods, and when its job is done.

The base is what most of them do. ``outcome`` is called once per role in the framework's order, after the pods of all
roles were looked at (``UpdateJobStatus`` upstream, which takes roles in random order; we take the leader first).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from sidings.api.objects import Object
from sidings.api.training_operator import validation, words
from sidings.api.training_operator.framework import Framework
from sidings.controllers.training_operator.report import Report
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name
from sidings.controllers.training_operator.tally import Tally


class Place(NamedTuple):
    """Which pod of a job: ``number`` is its index within the role."""

    role: str
    number: int


def variables(values: Mapping[str, str]) -> list[Object]:
    """Entries of a container's ``env``."""
    return [{"name": name, "value": value} for name, value in values.items()]


class Operator:
    """One framework; subclasses live in the folder of their kind."""

    framework: Framework

    def environment(self, snapshot: Snapshot, place: Place) -> list[Object]:
        """Variables that every container of the pod gets, after those of the user, so they win."""
        raise NotImplementedError(f"{type(self).__name__} must say what its pods get to know")

    def prepare(self, snapshot: Snapshot, place: Place, spec: Object) -> None:
        """Put what the framework needs into ``spec``, a private copy of the pod's spec."""
        for container in spec["containers"]:
            container["env"] = [*(container.get("env") or ()), *self.environment(snapshot, place)]

    def complaint(self, job: Object) -> str:
        """Why ``job`` cannot be run; empty where it can.

        The webhook has said so already, unless the job came by a way that it does not see: ``kubectl scale`` makes a
        role of a job that has none, without a template.
        """
        return ", ".join(map(str, validation.errors(self.framework, job)))

    def pod_name(self, snapshot: Snapshot, place: Place) -> str:
        return replica_name(snapshot.name, *place)

    def companions(self, snapshot: Snapshot) -> list[Object]:
        """What has to be there before the pods, besides the Services of :attr:`has_services`."""
        return []

    has_services: ClassVar[bool] = True
    """Whether each pod gets a Service by which the others find it."""

    def workers_are_done(self, snapshot: Snapshot, tally: Tally) -> bool:
        """Whether a job without leader has succeeded."""
        return tally.complete

    def has_lost(self, tally: Tally) -> bool:
        """Whether pods of a role were lost that it cannot do without."""
        return tally.has_lost

    def starts_again(self, replica: Object) -> bool:
        """Whether lost pods of a role mean Restarting and not the end."""
        return bool(replica["restartPolicy"] != words.NEVER)

    def title(self, snapshot: Snapshot) -> str:
        """How messages call the job: upstream names the namespace where no leader is declared."""
        full = snapshot.name if snapshot.leader else f"{snapshot.namespace}/{snapshot.name}"
        return f"{snapshot.framework.resource.kind} {full}"

    def success_message(self, snapshot: Snapshot) -> str:
        done = "is successfully completed." if snapshot.leader else "successfully completed."
        return f"{self.title(snapshot)} {done}"

    def failure_message(self, snapshot: Snapshot, lost: str) -> str:
        """``lost`` says ``because 1 Worker replica(s) failed.``"""
        return f"{snapshot.framework.resource.kind} {snapshot.name} is failed {lost}"

    def outcome(self, snapshot: Snapshot, tallies: Mapping[str, Tally], report: Report) -> None:
        """Conditions by the counts of all roles.

        A job that has just lost pods does not run: upstream says Running and then Restarting in one pass, and again in
        the next, each with new times.
        """
        leader = snapshot.leader
        losing = any(self.has_lost(tally) for tally in tallies.values())
        for role, replica in snapshot.roles.items():
            tally = tallies[role]
            done = False
            if role == leader:
                done = tally.complete
            elif leader is None and role == words.WORKER:
                done = self.workers_are_done(snapshot, tally)
            decides = role == leader or (leader is None and role == words.WORKER)
            if decides and done:
                report.end()
                report.put(words.SUCCEEDED, self.success_message(snapshot))
                return
            if decides and tally.active and not losing:
                report.put(words.RUNNING, f"{self.title(snapshot)} is running.")
            self.judge_losses(snapshot, role, replica, tally, report)

    def judge_losses(self, snapshot: Snapshot, role: str, replica: Object, tally: Tally, report: Report) -> None:
        """Restarting or Failed, where pods of ``role`` were lost."""
        if not self.has_lost(tally):
            return
        kind = snapshot.framework.resource.kind
        lost = f"because {tally.failed} {role} replica(s) failed."
        if self.starts_again(replica):
            report.put(words.RESTARTING, f"{kind} {snapshot.name} is restarting {lost}")
        elif not report.holds(words.FAILED):
            report.end()
            report.put(words.FAILED, self.failure_message(snapshot, lost))
