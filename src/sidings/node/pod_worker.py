"""One pod's life on its node: from bound to finished, and its end when it is deleted.

A level-triggered loop: ``lifecycle.next_step`` decides from the records that the shim keeps, this module carries it
out and writes the status. All state that matters is in the API object and in the pod's directory, so a worker of a
restarted agent goes on where the last one was killed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from sidings.api import timestamps
from sidings.api.objects import Object, is_deleting, key_of, name_of, namespace_of, uid_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import PODS
from sidings.api.status import ApiError, Conflict, NotFound
from sidings.node import ignored, lifecycle, restarting, security, software
from sidings.node.errors import ImageUnavailable, NodeError
from sidings.node.gpus.resources import GPU
from sidings.node.health import hooks
from sidings.node.health.place import Place
from sidings.node.health.pod_health import PodHealth
from sidings.node.limits import storage
from sidings.node.pod_reach import PodReach
from sidings.node.pod_sandbox import PodBox
from sidings.node.refusal import refusal
from sidings.node.status import CRASH_LOOP_BACK_OFF, Ending, Waiting, pod_status
from sidings.node.status_writer import StatusWriter
from sidings.node.stopping import Stopping, grace_seconds
from sidings.node.volumes import mounting
from sidings.node.workshop import Workshop

log = logging.getLogger(__name__)

HOST_SOFTWARE = "HostSoftware"
SIMULATED_GPUS = "SimulatedGPUs"
DEADLINE = Ending("Failed", "DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
RETRY_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)
"""How soon a start that failed for want of something is tried again. The first failure is nobody's business: a claim
is being bound, a ConfigMap comes with the same ``apply``."""


class PodWorker:
    """Runs one pod; ``update`` and ``gone`` bring news from the API, ``run`` is its task."""

    def __init__(self, pod: Object, workshop: Workshop) -> None:
        self._pod = pod
        self._shop = workshop
        self.box = PodBox(pod, workshop)
        self._waiting: dict[str, Waiting] = {}
        self._failures = 0
        self._retry_at: float | None = None
        self._news = asyncio.Event()
        self._gone = False
        self._writer = StatusWriter(workshop.client)
        self._noted: set[str] = set()
        self._reach = PodReach(workshop.sandbox, self.box.directory)
        self._health = PodHealth(
            workshop.clock, self._reach, lambda reason, text: self._note("Warning", reason, text), self._news.set
        )
        self._stopping = Stopping(self.box, self._reach, workshop.clock, self._note)
        self._unwell: dict[str, int] = {}
        self._eviction: Ending | None = None

    def update(self, pod: Object) -> None:
        """A version from the watch; one older than our own last write is no news."""
        if _version(pod) >= _version(self._pod):
            self._pod = pod
            self._news.set()

    def gone(self) -> None:
        """The object is no more: whatever still runs is killed."""
        self._gone = True
        self._news.set()

    async def run(self) -> None:
        """Until the pod's object is gone and its directory removed. An API that fails is asked again."""
        try:
            while not self._gone:
                try:
                    await self._live()
                except ApiError as error:
                    log.info("pod %s: %s, again in %s s", key_of(self._pod), error, RETRY_SECONDS[2])
                    await self._shop.clock.sleep(RETRY_SECONDS[2])
                except Exception:
                    # A bug that one pod meets must not end the others.
                    log.exception("pod %s failed unexpectedly, again in %s s", key_of(self._pod), RETRY_SECONDS[-1])
                    await self._shop.clock.sleep(RETRY_SECONDS[-1])
            await self.box.destroy()
        finally:
            self._health.close()
            self._stopping.close()
            self.box.release()

    async def _live(self) -> None:
        """One pass over the whole life, from wherever it stands, to the moment the object is gone."""
        self.box.adopt(self._news)
        if not has_ended(self._pod):
            ending = await self._until_finished()
            if self._gone:
                return
            self._health.close()
            await self._write(ending)
        await self.box.leave()
        while not self._gone:
            if is_deleting(self._pod):
                await self._delete()
                await self._wait_for_news(None)
            else:
                await self._wait_for_news(None)

    async def _until_finished(self) -> Ending:
        measuring = asyncio.create_task(self._measure_storage(), name=f"storage of {key_of(self._pod)}")
        refreshing = asyncio.create_task(self._refresh_volumes(), name=f"volumes of {key_of(self._pod)}")
        try:
            return await self._run_containers()
        finally:
            measuring.cancel()
            refreshing.cancel()

    async def _run_containers(self) -> Ending:
        if why := security.forbidden_sysctl(self._pod):
            self._note("Warning", security.SYSCTL_FORBIDDEN, why)
            return Ending("Failed", security.SYSCTL_FORBIDDEN, why)
        while not self._gone and not is_deleting(self._pod):
            if self._eviction is not None:
                self._note("Warning", storage.EVICTED, self._eviction.message)
                await self._stop_all(storage.GRACE_SECONDS)
                return self._eviction
            left = self._deadline_left()
            if left is not None and left <= 0:
                await self._stop_all(self._grace())
                return DEADLINE
            now = self._shop.clock.now().timestamp()
            self._health.observe(self._pod, self.box.attempts, self.box.address or "")
            await self._stop_unwell()
            step = lifecycle.next_step(self._pod, self.box.attempts, now, self._health.is_started, self._unwell)
            if step.phase:
                return Ending(step.phase)
            if step.stop:
                await self._stopping.stop(self._pod, self._not_stopping(step.stop), self._grace())
            await self._start_due(step.start)
            self._health.observe(self._pod, self.box.attempts, self.box.address or "")
            self._show_back_offs(now)
            await self._write(None)
            await self._wait_for_news(_least(step.wait_seconds, left, self._retry_left()))
        if not self._gone:
            await self._stop_all(self._grace_left())
        return Ending(self._outcome())

    async def _measure_storage(self) -> None:
        """Evict the pod once it uses more disk than it may."""
        if not storage.has_limits(self._pod):
            return
        while self._eviction is None:
            await self._shop.clock.sleep(self._shop.config.storage_check_seconds)
            usage = await asyncio.to_thread(storage.measure, self._pod, self.box.directory)
            if excess := storage.excess(self._pod, usage):
                self._eviction = Ending("Failed", storage.EVICTED, excess)
                self._news.set()

    async def _refresh_volumes(self) -> None:
        """Renew tokens, and the files of ConfigMaps and Secrets that have changed, as long as containers run."""
        if not mounting.has_keys(self._pod):
            return
        while True:
            await self._shop.clock.sleep(self._shop.config.volume_refresh_seconds)
            try:
                await self.box.refresh(self._pod)
            except (NodeError, OSError) as error:
                self._note("Warning", "FailedMount", str(error))

    # Starting

    async def _start_due(self, names: Iterable[str]) -> None:
        """Start what is due; what cannot be started says why and is tried again later."""
        if (left := self._retry_left()) is not None and left > 0:
            return
        self._retry_at = None
        for name in names:
            try:
                await self.box.start(self._pod, name)
            except NodeError as error:
                self._refused(name, error)
                return
            self._waiting.pop(name, None)
            self._failures = 0
            self._started(name)
            if handler := hooks.hook(_container(self._pod, name), "postStart"):
                await self._post_start(name, handler)

    def _refused(self, name: str, error: NodeError) -> None:
        pause = RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)]
        if isinstance(error, ImageUnavailable):
            pause = error.retry_seconds or RETRY_SECONDS[-1]
        self._retry_at = self._shop.clock.monotonic() + pause
        self._failures += 1
        if self._failures > 1 or isinstance(error, ImageUnavailable):
            told = refusal(error, has_sandbox=self.box.alive)
            self._waiting[name] = told.waiting
            self._note("Warning", told.reason, told.message)

    def _started(self, name: str) -> None:
        container = _container(self._pod, name)
        last = self.box.attempts[name][-1]
        if HOST_SOFTWARE not in self._noted and last.number == 0:
            self._noted.add(HOST_SOFTWARE)
            if self._shop.images is None:
                self._note("Normal", HOST_SOFTWARE, self._host_software(container))
            if fields := ignored.ignored_fields(self._pod, self.box.means, engine=self._shop.images is not None):
                self._note("Warning", ignored.REASON, f"Not supported by this node, ignored: {', '.join(fields)}")
            if GPU in ((container.get("resources") or {}).get("limits") or {}) and self.box.node.simulate_gpus:
                self._note("Normal", SIMULATED_GPUS, "GPUs of this node are simulated: CUDA_VISIBLE_DEVICES is empty")
        if last.reason == "StartError":
            self._note("Warning", "Failed", f"Error: {last.message}")
        else:
            self._note("Normal", "Started", f"Started container {name}")

    def _host_software(self, container: Object) -> str:
        image, config = container.get("image") or "", self._shop.config
        prefix = software.prefix_for(image, config.images, config.python_prefix)
        return f'Image "{image}" is not pulled: containers run the software of this machine, Python from {prefix}'

    async def _post_start(self, name: str, handler: Object) -> None:
        """Run the hook while nothing else of the pod starts; a container whose hook fails is stopped."""
        place = Place.of(_container(self._pod, name), self.box.address or "", self._reach)
        hook = asyncio.create_task(hooks.run(handler, place, self._shop.clock), name=f"postStart of {name}")
        hook.add_done_callback(lambda done: self._news.set())
        try:
            while not hook.done():
                if self._gone or is_deleting(self._pod) or name not in self.box.running():
                    return
                await self._wait_for_news(self._deadline_left())
        finally:
            self._news.set()
            hook.cancel()
        if not hook.result().well and name in self.box.running():
            self._note("Warning", hooks.FAILED_POST_START, hooks.POST_START_MESSAGE)
            self._note("Normal", "Killing", hooks.FAILED_POST_START)
            self._unwell[name] = self.box.attempts[name][-1].number
            await self._stopping.stop(self._pod, [name], self._grace())

    def _show_back_offs(self, now: float) -> None:
        """Containers that wait for their next attempt are in CrashLoopBackOff."""
        for container in _containers(self._pod):
            name = container["name"]
            known = self.box.attempts.get(name, ())
            if not known or known[-1].running:
                if (waiting := self._waiting.get(name)) and waiting.reason == CRASH_LOOP_BACK_OFF:
                    del self._waiting[name]
                continue
            again = lifecycle.is_restarted(self._pod, name, known[-1], self._unwell)
            if again and lifecycle.back_off_left(known, now) > 0:
                where = f"pod={name_of(self._pod)}_{namespace_of(self._pod)}({uid_of(self._pod)})"
                text = f"back-off {lifecycle.back_off(known):.0f}s restarting failed container={name} {where}"
                self._waiting[name] = Waiting(CRASH_LOOP_BACK_OFF, text)
                self._note("Warning", "BackOff", f"Back-off restarting failed container {name} in {where[4:]}")

    # Stopping

    async def _stop_unwell(self) -> None:
        """Stop what failed a startup or liveness probe; whether it is started again is the restart policy's."""
        for name, failed in self._health.failed().items():
            if self._stopping.has_begun(name, failed.attempt):
                continue
            text = f"Container {name} failed {failed.kind.lower()} probe"
            if restarting.restart_policy(self._pod, _container(self._pod, name)) != "Never":
                text += ", will be restarted"
            self._note("Normal", "Killing", text)
            self._unwell[name] = failed.attempt
            grace = self._grace() if failed.grace is None else float(failed.grace)
            await self._stopping.stop(self._pod, [name], grace)

    def _not_stopping(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if not self._stopping.has_begun(name, self.box.attempts[name][-1].number)]

    async def _stop_all(self, grace: float) -> None:
        """Stop what runs, and wait for its end; a shorter grace that comes meanwhile is honoured."""
        self._health.stopping()
        await self._stopping.stop_all(
            lambda: self._pod,
            lambda: 0.0 if self._gone else min(grace, self._grace_left()),
            lambda: self._wait_for_news(None),
        )

    def _grace(self) -> float:
        return grace_seconds(self._pod)

    def _grace_left(self) -> float:
        """Until the moment in deletionTimestamp, which already contains the grace period."""
        if not is_deleting(self._pod):
            return self._grace()
        due = timestamps.from_text(self._pod["metadata"]["deletionTimestamp"])
        granted = self._pod["metadata"].get("deletionGracePeriodSeconds")
        left = (due - self._shop.clock.now()).total_seconds()
        return max(min(left, granted if granted is not None else left), 0)

    async def _delete(self) -> None:
        """The pod has ended: let its object go. Finalizers of others may keep it for a while."""
        if self._pod["metadata"].get("deletionGracePeriodSeconds") == 0:
            return
        try:
            await self._shop.client.delete(
                PODS, name_of(self._pod), namespace_of(self._pod), grace_period_seconds=0, uid=uid_of(self._pod)
            )
        except (NotFound, Conflict):
            self._gone = True

    # Status

    def _outcome(self) -> str:
        """How a pod that was stopped ended: Succeeded only if every container did."""
        names = [container["name"] for container in self._pod["spec"]["containers"]]
        ends = [self.box.attempts[name][-1].exit_code if self.box.attempts.get(name) else None for name in names]
        return "Succeeded" if all(code == 0 for code in ends) else "Failed"

    async def _write(self, ending: Ending | None) -> None:
        status = pod_status(
            self._pod,
            self.box.attempts,
            now=self._shop.clock.now(),
            address=self.box.address or "",
            host_address=self.box.host_address,
            waiting=self._waiting,
            ending=ending,
            health=self._health,
        )
        try:
            written = await self._writer.write(self._pod, status)
        except NotFound:
            self._gone = True
            return
        if written is not None and not self._gone and uid_of(written) == uid_of(self._pod):
            self._pod = written

    # Time

    def _deadline_left(self) -> float | None:
        seconds = self._pod["spec"].get("activeDeadlineSeconds")
        started = (self._pod.get("status") or {}).get("startTime")
        if seconds is None or not started:
            return None
        due: datetime = timestamps.from_text(started) + timedelta(seconds=float(seconds))
        return (due - self._shop.clock.now()).total_seconds()

    def _retry_left(self) -> float | None:
        return None if self._retry_at is None else self._retry_at - self._shop.clock.monotonic()

    async def _wait_for_news(self, seconds: float | None) -> None:
        """Until the API or the shim has news, or ``seconds`` have passed."""
        if seconds is not None and seconds <= 0:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            pass
        self._news.clear()

    def _note(self, type_: str, reason: str, message: str) -> None:
        self._shop.note(self._pod, type_, reason, message)


def _containers(pod: Object) -> list[Object]:
    return [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]


def _container(pod: Object, name: str) -> Object:
    return next(container for container in _containers(pod) if container["name"] == name)


def _version(pod: Object) -> int:
    return int(pod["metadata"]["resourceVersion"])


def _least(*seconds: float | None) -> float | None:
    known = [value for value in seconds if value is not None]
    return min(known) if known else None
