"""What a machine lacks is told when the JobSet is made."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.software import Finding
from sidings.controllers.trainjob import job_set, software
from tests.trainjobs import replicated_job, runtime, train_job, trainer_job

MPI = (replicated_job("node"), trainer_job("launcher"))


def told(trainer: Object, made: Object, *have: str) -> list[Finding]:
    info = job_set.build(train_job(trainer), made).info
    return software.findings(info, lambda program, image: program in have)


def test_nothing_missing_nothing_told() -> None:
    assert told({}, runtime(policy={"torch": {}})) == []
    assert told({}, runtime(*MPI, policy={"mpi": {}}), "sshd", "ssh", "mpirun") == []


def test_what_is_missing_is_named_with_its_remedy() -> None:
    (finding,) = told({}, runtime(*MPI, policy={"mpi": {}}), "ssh")
    assert finding.reason == "SoftwareMissing"
    assert finding.message.startswith("spec.mlPolicy.mpi of the runtime needs sshd and mpirun, which pods do not find")
    assert "apt-get install openmpi-bin openssh-server" in finding.message


def test_torchtune_is_known_by_its_command() -> None:
    made = runtime(trainer_job(command=["tune", "run", "x"]), policy={"torch": {}}, name="torchtune-llama3.2-1b")
    (finding,) = told({}, made)
    assert "the command `tune run` needs tune" in finding.message


@pytest.mark.parametrize(("name", "word"), [("volcano", "Volcano"), ("coscheduling", "the coscheduling plug-in")])
def test_a_gang_scheduler_does_not_run_here(name: str, word: str) -> None:
    made = runtime()
    made["spec"]["podGroupPolicy"] = {name: {}}
    (finding,) = told({}, made)
    assert finding.reason == "GangSchedulerMissing"
    assert f"{word} does not run here" in finding.message


def test_the_image_that_trains_is_asked_about() -> None:
    seen = set()

    def installed(program: str, image: str) -> bool:
        seen.add(image)
        return True

    info = job_set.build(train_job({"image": "own:1"}), runtime(*MPI, policy={"mpi": {}})).info
    assert software.findings(info, installed) == []
    assert seen == {"own:1"}
