"""The script as pods of a running engine: suspended and resumed, its pods deleted, its processes killed.

The interrupted run is one JobSet from its first start to its end. A start is over when no pod of it is left, and where
a pod was deleted, when the JobSet has counted a restart; the next start is what the JobSet, or its resumption, makes.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import psutil

from sidings.api import pod_phase
from sidings.api.jobset.labels import JOBSET_NAME
from sidings.api.objects import Object, name_of, uid_of
from sidings.api.resources import JOB_SETS, PODS
from sidings.api.status import NotFound
from sidings.client.errors import ServerUnreachable
from sidings.client.interface import Client
from sidings.verify_resume import job_set, ranks
from sidings.verify_resume.attempt import Waiting
from sidings.verify_resume.errors import EngineLost
from sidings.verify_resume.interruptions import Manner
from sidings.verify_resume.losses import Told
from sidings.verify_resume.places import Place

INTERRUPTED = 143
"""As 128 + SIGTERM: the code of a start whose pods were taken away."""
_ASK_AGAIN = 0.1  # seconds between two questions to the API server
_TO_GO = 90.0  # seconds for pods to end after their JobSet was deleted: their grace, and more

_COUNT_AGAIN = 1.0  # seconds between two looks at pods that do not run yet
_PATIENT = 5.0  # seconds in which nobody asks why; pods usually take less

_T = TypeVar("_T")
Explain = Callable[[str], Coroutine[Any, Any, Waiting]]
"""Says of the JobSet of that name what it waits for."""


class JobSets:
    """Launches ``script`` as a JobSet per run, ``name`` and the run's, in ``namespace`` of ``client``'s server.

    Every call raises ``EngineLost`` where that does not answer any more.
    """

    manners: Sequence[Manner] = (
        Manner.SUSPEND,
        Manner.SUSPEND_AND_TEAR,
        Manner.DELETE_POD,
        Manner.KILL_POD,
        Manner.KILL_RANK,
    )

    def __init__(
        self,
        client: Client,
        namespace: str,
        name: str,
        script: Path,
        count: int,
        environ: Mapping[str, str],
        explain: Explain,
    ) -> None:
        self._client, self._namespace, self._name = client, namespace, name
        self._script, self.count, self._environ, self._explain = script, count, environ, explain
        self._loop = asyncio.Runner()
        self._made: list[str] = []

    def start(self, place: Place, number: int) -> Pods:
        name = f"{self._name}-{place.folder.name}"
        if number == 1:
            for folder in place.searched:
                folder.mkdir(parents=True, exist_ok=True)
            made = job_set.job_set(name, self._script, place, self.count, self._environ)
            self._made.append(name)
            self.do(self._client.create(JOB_SETS, made, namespace=self._namespace, field_validation="Strict"))
        return Pods(self, name, place)

    def close(self) -> None:
        """Delete the JobSets, and see their pods go."""
        for name in self._made:
            with contextlib.suppress(NotFound):
                self.do(self._client.delete(JOB_SETS, name, self._namespace, propagation_policy="Background"))
        ends = time.monotonic() + _TO_GO
        while any(map(self.pods, self._made)) and time.monotonic() < ends:
            time.sleep(_ASK_AGAIN)
        self._loop.close()

    def do(self, call: Coroutine[Any, Any, _T]) -> _T:
        try:
            return self._loop.run(call)
        except ServerUnreachable as error:
            left = f"; then kubectl delete jobset -n {self._namespace} {' '.join(self._made)}" if self._made else ""
            raise EngineLost("the engine went away", cause=str(error), remedy=f"sidings up{left}") from error

    def waiting(self, name: str) -> Waiting:
        return self.do(self._explain(name))

    def get(self, name: str) -> Object:
        return self.do(self._client.get(JOB_SETS, name, self._namespace))

    def suspend(self, name: str, wanted: bool) -> None:
        self.do(self._client.patch(JOB_SETS, name, {"spec": {"suspend": wanted}}, namespace=self._namespace))

    def pods(self, name: str) -> list[Object]:
        labelled = self._client.list(PODS, self._namespace, label_selector=f"{JOBSET_NAME}={name}")
        return self.do(labelled).items

    def delete_pod(self, name: str, grace: int | None) -> None:
        with contextlib.suppress(NotFound):  # it has just ended
            self.do(self._client.delete(PODS, name, self._namespace, grace_period_seconds=grace))


class Pods:
    """One start: the pods of a JobSet until they are taken away."""

    def __init__(self, launcher: JobSets, name: str, place: Place) -> None:
        self._launcher, self._name, self._place = launcher, name, place
        self.output = place.folder / job_set.OUTPUT
        self._log = place.folder / job_set.LOG
        self.told = Told(self._log, self.output)
        known = launcher.get(name)
        self._restarts = _restarts(known)
        if known["spec"].get("suspend"):
            launcher.suspend(name, False)
        self._struck: frozenset[str] | None = None
        self._code: int | None = None
        self._asked = 0.0
        self._made = self._counted = time.monotonic()
        self._waits: Waiting | None = Waiting()

    def waiting(self) -> Waiting | None:
        now = time.monotonic()
        if self._waits is not None and now - self._counted > _COUNT_AGAIN:
            if sum(map(_has_begun, self._launcher.pods(self._name))) >= self._launcher.count:
                self._waits = None
            elif now - self._made > _PATIENT:
                self._waits = self._launcher.waiting(self._name)
            self._counted = now
        return self._waits

    def code(self) -> int | None:
        if self._code is None and time.monotonic() - self._asked > _ASK_AGAIN:
            self._code = self._look()
            self._asked = time.monotonic()
        return self._code

    def strike(self, manner: Manner, rng: random.Random, wait: Callable[[], None]) -> str:
        pods = self._launcher.pods(self._name)
        self._struck = frozenset(map(uid_of, pods))
        if manner is Manner.KILL_RANK and (done := ranks.kill_one(psutil.process_iter(), rng, self._log)):
            return done
        if manner not in (Manner.SUSPEND, Manner.SUSPEND_AND_TEAR):
            if not pods:
                return manner
            pod = name_of(rng.choice(pods))
            self._launcher.delete_pod(pod, 0 if manner is Manner.KILL_POD else None)
            return f"pod {pod} deleted{' without grace' if manner is Manner.KILL_POD else ''}"
        self._launcher.suspend(self._name, True)
        while self.code() is None:
            wait()
        if manner is Manner.SUSPEND_AND_TEAR and self._code and (name := self._place.tear_newest()):
            return f"suspended, {name} torn"
        return Manner.SUSPEND

    def close(self) -> None:
        """The JobSet goes on; the launcher ends it."""

    def _look(self) -> int | None:
        known = self._launcher.get(self._name)
        state = (known.get("status") or {}).get("terminalState")
        if state:
            return 0 if state == "Completed" else 1
        has_restarted = _restarts(known) > self._restarts
        if self._struck is None:
            return 1 if has_restarted else None
        is_suspended = known["spec"].get("suspend")
        if not has_restarted and not is_suspended:
            return None
        pods = self._launcher.pods(self._name)
        if is_suspended:  # a pod that has ended stays; one that came after the question for pods must go as well
            left = [pod for pod in pods if not pod_phase.has_ended(pod)]
        else:
            left = [pod for pod in pods if uid_of(pod) in self._struck]
        return None if left else INTERRUPTED


def _restarts(job_set: Object) -> int:
    return int((job_set.get("status") or {}).get("restarts") or 0)


def _has_begun(pod: Object) -> bool:
    return pod_phase.has_ended(pod) or (pod.get("status") or {}).get("phase") == "Running"
