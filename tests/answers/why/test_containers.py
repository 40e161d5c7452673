"""Containers that cannot start or have failed, and what their logs tell."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sidings.answers import codes
from sidings.answers.family import Family, families
from sidings.answers.finding import Finding, Severity
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import chain, containers
from sidings.api.objects import Object, uid_of
from tests.answers.objects import ended, job, pod, running, waiting

NOW = datetime(2026, 1, 1, 0, 3, tzinfo=UTC)


def family(*statuses: Object, phase: str = "Failed", command: tuple[str, ...] = ()) -> Family:
    owner = job(None, name="j", pods=len(statuses))
    pods = []
    for rank, status in enumerate(statuses):
        made = pod(owner, rank, phase, node="n", containers=[status])
        resources = {"limits": {"memory": "2Gi"}}
        made["spec"]["containers"] = [{"name": "node", "image": "i", "command": [*command], "resources": resources}]
        pods.append(made)
    [found] = families(jobs=[owner], pods=pods)
    return found


def found_in(of: Family, *lines: str) -> Finding:
    logs = {uid_of(of.pods[0]): list(lines)}
    return chain.answer(of, Surroundings(NOW, {}, logs=logs)).findings[0]


# Lines as the programs print them; the reports that they are from are named where they are public.
LINES = [
    ("ModuleNotFoundError: No module named 'flash_attn'", codes.NO_MODULE),
    ("ImportError: libcudart.so.12: cannot open shared object file: No such file or directory", codes.NO_MODULE),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", codes.CUDA_OUT_OF_MEMORY),
    ("torch.cuda.OutOfMemoryError: CUDA out of memory.", codes.CUDA_OUT_OF_MEMORY),
    # pytorch/pytorch#118369
    (
        "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6, OpType=ALLREDUCE)",
        codes.COLLECTIVE_TIMED_OUT,
    ),
    ("RuntimeError: Timed out waiting 1800000ms for recv operation to complete", codes.COLLECTIVE_TIMED_OUT),
    ("torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", codes.RENDEZVOUS_TIMED_OUT),
    (
        "torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while trying to connect",
        codes.RENDEZVOUS_TIMED_OUT,
    ),
    ("socket.gaierror: [Errno -2] Name or service not known", codes.NO_ADDRESS),
    ("OSError: [Errno 28] No space left on device", codes.DISK_FULL),
    # kubeflow/trainer#2372
    ("PermissionError: [Errno 13] Permission denied: '/.cache'", codes.PERMISSION_DENIED),
]


@pytest.mark.parametrize(("line", "code"), LINES)
def test_a_line_tells_the_cause(line: str, code: str) -> None:
    found = found_in(family(ended(1)), "epoch 1", "Traceback (most recent call last):", line)
    assert (found.code, found.severity) == (code, Severity.ERROR)
    assert found.what.startswith("j-0 exited with 1 (Error): ")
    assert found.what.endswith(line)
    assert found.remedy == "kubectl logs j-0-aaaaa -n ns -c node"


def test_a_usual_log_tells_nothing() -> None:
    lines = ["loading modules", "NCCL INFO timeout set to 1800 s", "memory: 12 GiB", "permission bits restored"]
    assert containers.sign_in(lines) is None


def test_a_failure_of_which_nothing_is_known_shows_the_last_line() -> None:
    found = found_in(family(ended(3)), "epoch 1", "loss is NaN")
    assert (found.code, found.cause) == (codes.EXITED, "loss is NaN")


def test_the_first_rank_that_failed_is_named() -> None:
    of = family(ended(1, at="2026-01-01T00:01:09Z"), ended(7, at="2026-01-01T00:01:00Z"))
    assert found_in(of).what == "j-1 exited with 7 (Error)"


def test_a_container_killed_for_its_memory_names_its_limit() -> None:
    found = found_in(family(ended(137, "OOMKilled")))
    assert (found.code, found.what) == (codes.OUT_OF_MEMORY, "j-0 was killed for its memory: its limit is 2Gi")


def test_a_command_that_is_not_there() -> None:
    found = found_in(family(ended(127, "StartError"), command=("trainx", "--now")))
    assert found.code == codes.NO_COMMAND
    assert found.what == "j-0 exited with 127 (StartError): command `trainx --now`"
    found = found_in(family(ended(127)), "sh: 1: trainx: not found")
    assert (found.code, found.cause) == (codes.NO_COMMAND, "sh: 1: trainx: not found")


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "InvalidImageName"])
def test_an_image_that_cannot_be_used(reason: str) -> None:
    of = family(waiting(reason, 'Back-off pulling image "no/such:1"'), phase="Pending")
    found = found_in(of)
    assert (found.code, found.what) == (codes.NO_IMAGE, f'container "node" of j-0 waits: {reason}')
    assert found.cause == 'Back-off pulling image "no/such:1"'


@pytest.mark.parametrize(
    ("reason", "runtime", "remedy"),
    [
        ("ErrImagePull", "podman://4.3.1", "podman pull i"),
        ("ImagePullBackOff", "docker://29.1", "docker pull i"),
        ("ImagePullBackOff", "containerd://2.1", "kubectl describe pod j-0-aaaaa -n ns"),
        ("ImageInspectError", "podman://4.3.1", "kubectl describe pod j-0-aaaaa -n ns"),
    ],
)
def test_on_this_machine_an_image_is_pulled_by_hand(reason: str, runtime: str, remedy: str) -> None:
    node: Object = {"metadata": {"name": "n"}, "status": {"nodeInfo": {"containerRuntimeVersion": runtime}}}
    of = family(waiting(reason, "no"), phase="Pending")
    [found] = containers.find(of, Surroundings(NOW, {"Node": [node]}))
    assert found.remedy == remedy


def test_a_crash_loop_tells_of_the_life_before() -> None:
    one = waiting("CrashLoopBackOff", "back-off 10s", restarts=3) | {"lastState": ended(1)["state"]}
    found = found_in(family(one, phase="Running"), "ModuleNotFoundError: No module named 'x'")
    assert found.code == codes.NO_MODULE
    assert found.what.startswith("j-0 exited with 1 (Error), and starts again and again")
    assert found.remedy.endswith("--previous")


def test_a_job_that_was_set_back_and_runs_again_is_well() -> None:
    one = running(restarts=1) | {"lastState": ended(1)["state"]}
    found = found_in(family(one, phase="Running"), "ModuleNotFoundError: No module named 'x'")
    assert (found.code, found.severity) == (codes.RECOVERED, Severity.NOTE)
