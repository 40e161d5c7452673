"""Containers that cannot start or have ended with an error, and what the end of their log tells of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidings.answers import codes
from sidings.answers.explanations import EXPLANATIONS, finding
from sidings.answers.failure import Failure, first_failure
from sidings.answers.family import Family, short_name
from sidings.answers.finding import Finding, place_of
from sidings.answers.log_tail import telling
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import collectives, images, remedies
from sidings.api.objects import Object, key_of, name_of, uid_of

_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})
_START = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
_NOT_FOUND = 127
_LONGEST_LINE = 300
"""Of a line of a log, how much is shown."""

_PASSING = frozenset({codes.EXITED, codes.COLLECTIVE_TIMED_OUT, codes.RENDEZVOUS_TIMED_OUT, codes.NO_ADDRESS})
"""What the loss of a peer looks like, and is over with the next start."""


class Sign(NamedTuple):
    """A line of a log that tells the cause."""

    code: str
    pattern: re.Pattern[str]


SIGNS = (
    Sign(codes.NO_MODULE, re.compile(r"(?:ModuleNotFoundError|ImportError): .*")),
    Sign(codes.CUDA_OUT_OF_MEMORY, re.compile(r"(?:torch\.)?(?:cuda\.)?OutOfMemoryError: .*|CUDA out of memory.*")),
    Sign(codes.SHARED_MEMORY_FULL, re.compile(r".*insufficient shared memory \(shm\).*")),
    Sign(codes.SHARED_MEMORY_FULL, re.compile(r".*(?:/dev/shm.*No space left|shared memory segment /dev/shm/).*")),
    Sign(codes.NO_SUCH_GPU, re.compile(r".*(?:CUDA error: )?invalid device ordinal.*")),
    Sign(codes.DISK_FULL, re.compile(r".*No space left on device.*")),
    Sign(codes.PERMISSION_DENIED, re.compile(r"PermissionError: .*|.*: Permission denied$")),
    Sign(codes.NO_ADDRESS, re.compile(r".*(?:Name or service not known|Temporary failure in name resolution).*")),
    Sign(codes.NO_ADDRESS, re.compile(r".*hostname of the client socket cannot be retrieved.*")),
    Sign(codes.COLLECTIVE_TIMED_OUT, re.compile(r".*Watchdog caught collective operation timeout.*")),
    Sign(codes.COLLECTIVE_TIMED_OUT, re.compile(r".*Timed out waiting \d+ms for (?:recv|send) operation.*")),
    Sign(codes.RENDEZVOUS_TIMED_OUT, re.compile(r".*(?:RendezvousTimeoutError|DistStoreError: Timed out).*")),
    Sign(codes.RENDEZVOUS_TIMED_OUT, re.compile(r".*The client socket has timed out after.*")),
)
"""Texts of CPython 3.8 to 3.14 and torch 2.4 to 2.13; of several in one log the first of this list counts."""


def find(family: Family, around: Surroundings) -> Iterator[Finding]:
    """Of containers that wait each image or start error once; of failures the first."""
    seen: set[tuple[str, str]] = set()
    for pod in family.living_pods():
        for found in _waiting(family.root, pod, around):
            if (found.code, found.cause) not in seen:
                seen.add((found.code, found.cause))
                yield found
    if (failure := first_failure(family)) is not None:
        yield _of_failure(failure, family, around)


def find_setback(family: Family, around: Surroundings, told: set[str]) -> Iterator[Finding]:
    """Of a job that is started again: what will happen again as it is, else that it was set back, no trouble yet."""
    for found in find(family, around):
        if found.code in _PASSING:
            what = f"it is started again; before, {found.what}"
            yield finding(codes.RECOVERED, found.where, what, cause=found.cause, remedy=found.remedy)
        elif found.code not in told:
            yield found


def find_past(family: Family, around: Surroundings) -> Iterator[Finding]:
    """Of a job whose pods all run: the failure that set it back, which is no trouble any more."""
    if (failure := first_failure(family)) is not None:
        grave = _of_failure(failure, family, around)
        what = f"all pods run; before, {failure}"
        yield finding(codes.RECOVERED, grave.where, what, cause=failure.message, remedy=_logs(failure, around))


def _waiting(root: Object, pod: Object, around: Surroundings) -> Iterator[Finding]:
    status = pod.get("status") or {}
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        waiting = (container.get("state") or {}).get("waiting") or {}
        reason, message = str(waiting.get("reason") or ""), str(waiting.get("message") or "")
        code = codes.NO_IMAGE if reason in _IMAGE else codes.CANNOT_START if reason in _START else ""
        if not code:
            continue
        where = place_of({"kind": "Pod", **pod})
        what = f'container "{container["name"]}" of {short_name(pod)} waits: {reason}'
        remedy = images.remedy(reason, root, pod, _spec(pod, container["name"]), around)
        remedy = remedy or around.kubectl("describe", "pod", name_of(pod), "-n", key_of(pod).namespace)
        yield finding(code, where, what, cause=message, remedy=remedy)


def _of_failure(failure: Failure, family: Family, around: Surroundings) -> Finding:
    pod = failure.pod
    where = place_of({"kind": "Pod", **pod})
    container = _spec(pod, failure.container)
    logs = _logs(failure, around)
    again = ", and starts again and again" if failure.previous else ""
    what = f"{failure}{again}"
    lines = telling(around.logs.get(uid_of(pod)) or (), 200)

    def mended(code: str, line: str = "") -> str:
        return remedies.of_container(code, family.root, pod, container, line, around) or logs

    if failure.reason == "OOMKilled":
        limit = remedies.memory_limit_of(container)
        what = f"{short_name(pod)} was killed for its memory{f': its limit is {limit}' if limit else ''}{again}"
        remedy = mended(codes.OUT_OF_MEMORY)
        return finding(codes.OUT_OF_MEMORY, where, what, cause=failure.message, remedy=remedy)
    if sign := sign_in(lines):
        code, line = sign
        cause, remedy = EXPLANATIONS[code].title, mended(code, line)
        if code in collectives.CODES:
            cause, remedy = collectives.who_is_missing(code, family, pod, container, around, cause, logs)
        return finding(code, where, f"{what}: {line[:_LONGEST_LINE]}", cause=cause, remedy=remedy)
    cause = failure.message or (lines[-1] if lines else "")
    if failure.exit_code == _NOT_FOUND or failure.reason in ("StartError", "ContainerCannotRun"):
        command = " ".join(remedies.command_of(container)[:3])
        code = codes.NO_COMMAND if _is_missing(failure) else codes.CANNOT_START
        what = f"{what}: command `{command}`" if command else what
        return finding(code, where, what, cause=cause, remedy=mended(code))
    return finding(codes.EXITED, where, what, cause=cause, remedy=logs)


def _logs(failure: Failure, around: Surroundings) -> str:
    key = key_of(failure.pod)
    previous = ["--previous"] if failure.previous else []
    return around.kubectl("logs", key.name, "-n", key.namespace, "-c", failure.container, *previous)


def sign_in(lines: Sequence[str]) -> tuple[str, str] | None:
    """(code, the line that tells); None where no line is known."""
    for sign in SIGNS:
        for line in lines:
            if match := sign.pattern.search(line):
                return sign.code, match.group().strip()
    return None


def _is_missing(failure: Failure) -> bool:
    words = ("not found", "no such file")
    return failure.exit_code == _NOT_FOUND or any(word in failure.message.lower() for word in words)


def _spec(pod: Object, name: str) -> Object:
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return next((container for container in containers if container["name"] == name), {})
