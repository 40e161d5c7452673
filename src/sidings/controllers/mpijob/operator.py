"""The launcher runs ``mpirun`` and decides the job; workers wait to be told what to run."""

from __future__ import annotations

from collections.abc import Mapping

from sidings.api.objects import Object
from sidings.api.training_operator import framework, validation, words
from sidings.controllers.mpijob import launch_files
from sidings.controllers.training_operator.operator import Operator, Place, variables
from sidings.controllers.training_operator.report import Report
from sidings.controllers.training_operator.snapshot import Snapshot
from sidings.controllers.training_operator.tally import Tally, phase_of

EVICTED = "Evicted"
_VOLUME = "mpi-job-config"
_EXECUTABLE, _READABLE = 0o555, 0o444


class MpiOperator(Operator):
    framework = framework.MPI
    has_services = False

    def complaint(self, job: Object) -> str:
        return validation.mpi_complaint(job)

    def companions(self, snapshot: Snapshot) -> list[Object]:
        return launch_files.companions(snapshot)

    def pod_name(self, snapshot: Snapshot, place: Place) -> str:
        if place.role == words.LAUNCHER:
            return launch_files.launcher_name(snapshot.name)
        return super().pod_name(snapshot, place)

    def environment(self, snapshot: Snapshot, place: Place) -> list[Object]:
        if place.role != words.LAUNCHER:
            return []
        script = f"{launch_files.FOLDER}/{launch_files.SCRIPT}"
        values = {
            "OMPI_MCA_plm_rsh_agent": script,
            "OMPI_MCA_orte_default_hostfile": f"{launch_files.FOLDER}/{launch_files.HOSTS}",
            "I_MPI_HYDRA_BOOTSTRAP": "rsh",
            "I_MPI_HYDRA_BOOTSTRAP_EXEC": script,
        }
        if not launch_files.launcher_has_gpus(snapshot):
            values |= {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
        return variables(values)

    def prepare(self, snapshot: Snapshot, place: Place, spec: Object) -> None:
        main = spec["containers"][0]
        if place.role == words.WORKER and not main.get("command") and not main.get("args"):
            main["command"], main["args"] = ["sleep"], ["365d"]
        mounts = [{"name": _VOLUME, "mountPath": launch_files.FOLDER}]
        main["volumeMounts"] = [*(main.get("volumeMounts") or ()), *mounts]
        added = self.environment(snapshot, place)
        if added:
            spec["serviceAccountName"] = launch_files.launcher_name(snapshot.name)
            main["env"] = [*(main.get("env") or ()), *added]
        modes = {launch_files.SCRIPT: _EXECUTABLE, launch_files.HOSTS: _READABLE}
        items = [{"key": name, "path": name, "mode": mode} for name, mode in modes.items()]
        volume = {
            "name": _VOLUME,
            "configMap": {"name": launch_files.config_name(snapshot.name), "items": items},
        }
        spec["volumes"] = [*(spec.get("volumes") or ()), volume]

    def title(self, snapshot: Snapshot) -> str:
        return f"{snapshot.framework.resource.kind} {snapshot.namespace}/{snapshot.name}"

    def success_message(self, snapshot: Snapshot) -> str:
        return f"{self.title(snapshot)} successfully completed."

    def failure_message(self, snapshot: Snapshot, lost: str) -> str:
        return f"{self.title(snapshot)} has failed"

    def outcome(self, snapshot: Snapshot, tallies: Mapping[str, Tally], report: Report) -> None:
        """As for any leader; a worker that was evicted ends the job with a reason of its own."""
        evicted = [
            pod
            for pod in snapshot.pods_of(words.WORKER).values()
            if phase_of(pod) == "Failed" and pod["status"].get("reason") == EVICTED
        ]
        if evicted and not tallies[words.LAUNCHER].complete:
            report.end()
            report.put(
                words.FAILED, f"{len(evicted)}/{snapshot.replicas(words.WORKER)} workers are evicted", word=EVICTED
            )
            return
        super().outcome(snapshot, tallies, report)

    def judge_losses(self, snapshot: Snapshot, role: str, replica: Object, tally: Tally, report: Report) -> None:
        if role == words.LAUNCHER:
            super().judge_losses(snapshot, role, replica, tally, report)
