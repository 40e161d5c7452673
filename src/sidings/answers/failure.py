"""Which rank failed first, of those that are there; ``api.container_failure`` says what comes before what."""

from __future__ import annotations

from collections.abc import Collection

from sidings.answers.family import Family, pod_order, short_name
from sidings.api import container_failure
from sidings.api.container_failure import ContainerFailure
from sidings.api.objects import uid_of


class Failure(ContainerFailure):
    """A failure in the words of a job: ``node-0-1 exited with 3 (Error)``."""

    def __str__(self) -> str:
        return f"{short_name(self.pod)} exited with {self.exit_code} ({self.reason})"


def first_failure(family: Family, known: Collection[Failure] = ()) -> Failure | None:
    """The failure that came first in the family's present pods and is not ``known``; None where there is none."""
    found = [Failure(*failure) for pod in family.pods for failure in container_failure.of(pod)]
    seen = {_identity(failure) for failure in known}
    return min((failure for failure in found if _identity(failure) not in seen), key=_order, default=None)


def _identity(failure: Failure) -> tuple[str, str, str]:
    return uid_of(failure.pod), failure.container, failure.finished_at


def _order(failure: Failure) -> tuple[object, ...]:
    return (*failure.moment, *pod_order(failure.pod))
