"""A storm: random events in a random order, from one seed, with all rules checked after each.

Rounds follow one another: JobSets are made, events happen to them and to the control plane, then the faults stop and
the rules of rest are checked, then nodes are kind until every JobSet has ended, then everything is deleted and nothing
may be left. A violation names the seed and the event, so that it can be replayed.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping

import looptime

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, JOBS, NAMESPACES, PODS, SERVICES
from sidings.api.status import ApiError
from tests.faults import rest
from tests.faults.control_plane import CONTROLLERS, FaultyControlPlane, Wrap
from tests.faults.faulty_client import Weather
from tests.faults.ledger import Ledger, Violation, is_finished
from tests.faults.scripted_nodes import NODE_NAMES, ScriptedNodes
from tests.faults.workloads import random_jobset

NAMESPACE = "storm"
EVENTS_A_ROUND = 250
MOST_JOBSETS = 5
REST_SECONDS = 1500.0
"""More than the longest back-off of a controller, so that whatever is tried again has been."""
LONGEST_ENDING = 12_000.0
PAUSES = (0.0, 0.0, 0.05, 0.3, 1.0, 3.0, 12.0, 60.0)

AtRest = Callable[[Ledger], Iterator[str]]


class Storm:
    """``run`` lets a number of events happen; ``happened`` says which."""

    def __init__(self, seed: int, planted: Mapping[str, Wrap] | None = None) -> None:
        self.seed = seed
        self.happened: Counter[str] = Counter()
        self._rng = random.Random(seed)
        self._weather = Weather()
        self.plane = FaultyControlPlane(self._rng, self._weather, planted or {})
        self.ledger = Ledger()
        self.nodes = ScriptedNodes(self.plane.client, self.plane.clock, self._rng)
        self._made = 0
        self._acts: dict[str, tuple[int, Callable[[], Awaitable[None]]]] = {
            "node works": (60, self._node_works),
            "pod killed": (6, self._kill_pod),
            "jobset made": (6, self._make_jobset),
            "suspended": (4, lambda: self._patch_jobset({"spec": {"suspend": True}})),
            "resumed": (6, lambda: self._patch_jobset({"spec": {"suspend": False}})),
            "ttl changed": (1, lambda: self._patch_jobset({"spec": {"ttlSecondsAfterFinished": 60}})),
            "annotated": (1, lambda: self._patch_jobset({"metadata": {"annotations": {"n": str(self._made)}}})),
            "jobset deleted": (2, self._delete_jobset),
            "job deleted": (2, self._delete_job),
            "pod deleted": (2, self._delete_pod),
            "pod deleted by force": (1, lambda: self._delete_pod(grace_period_seconds=0)),
            "service deleted": (1, self._delete_service),
            "controller crashed": (4, self._crash),
            "node silent": (1, self._silence_node),
            "node gone": (1, self._lose_node),
            "node back": (3, self._bring_node_back),
            "clock jumped": (1, self._jump),
        }

    @property
    def faults(self) -> Counter[str]:
        """Faults of clients and crashes, which come on top of the events."""
        return self._weather.seen

    async def run(self, events: int) -> None:
        """Raises ``Violation`` with the seed in its message."""
        await self.plane.client.create(
            NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        )
        tasks = [asyncio.create_task(self.plane.run()), asyncio.create_task(self.ledger.follow(self.plane.client))]
        try:
            while self.happened.total() < events:
                await self._round(min(EVENTS_A_ROUND, events - self.happened.total()))
        except Violation as violation:
            message = f"{violation}\nevent {self.happened.total()}; to replay: FAULT_SEED={self.seed}"
            raise Violation(message) from None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _round(self, events: int) -> None:
        self._weather.calm = False
        for name in NODE_NAMES:
            await self.nodes.join(name)
        names, weights = list(self._acts), [weight for weight, _ in self._acts.values()]
        for _ in range(events):
            [name] = self._rng.choices(names, weights)
            # A user's or a node's request that is refused or too late is an event as well.
            with contextlib.suppress(ApiError):
                await self._acts[name][1]()
            self.happened[name] += 1
            await self._pass(self._rng.choice(PAUSES))
        self._weather.calm = True
        await self._pass(REST_SECONDS)
        self._must_hold(
            rest.no_pod_without_an_owner,
            rest.no_job_without_an_owner,
            rest.a_suspended_set_has_no_pods,
            rest.a_finished_set_has_no_pods,
        )
        await self._end_all()
        await self._delete_all()

    async def _pass(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.ledger.check()

    def _must_hold(self, *rules: AtRest) -> None:
        for rule in rules:
            for complaint in rule(self.ledger):
                raise Violation(f"{rule.__name__}: {complaint}")

    async def _end_all(self) -> None:
        """Kind nodes, no suspension: every JobSet must end."""
        for name in NODE_NAMES:
            await self.nodes.join(name)
        for jobset in await self._jobsets():
            if jobset["spec"].get("suspend"):
                await self._patch(jobset, {"spec": {"suspend": False}})
        await self._until(lambda: all(map(is_finished, self.ledger.present[JOB_SETS.kind].values())))
        self._must_hold(rest.every_set_has_ended)

    async def _delete_all(self) -> None:
        client = self.plane.client
        for resource in (JOB_SETS, JOBS, PODS, SERVICES):
            for obj in (await client.list(resource, NAMESPACE)).items:
                try:
                    await client.delete(resource, objects.name_of(obj), NAMESPACE, propagation_policy="Background")
                except ApiError:
                    continue  # its owner's deletion was faster
        await self._until(lambda: not any(self.ledger.present.values()))
        self._must_hold(rest.nothing_is_left)

    async def _until(self, met: Callable[[], bool]) -> None:
        """Let kind nodes work until ``met``; what is not met in a long time is left for the rules to tell."""
        clock = self.plane.clock
        start, pause = clock.monotonic(), 1.0
        while not met() and clock.monotonic() - start < LONGEST_ENDING:
            for pod in await self.nodes.pods():
                await self.nodes.advance(pod, kind=True)
            await self._pass(pause)
            pause = min(pause * 1.5, 300.0)

    # --- the acts --------------------------------------------------------------------------------------------------

    async def _node_works(self) -> None:
        if pods := await self.nodes.pods():
            await self.nodes.advance(self._rng.choice(pods))

    async def _kill_pod(self) -> None:
        if running := [pod for pod in await self.nodes.pods() if self.nodes.runs(pod)]:
            await self.nodes.kill(self._rng.choice(running))

    async def _make_jobset(self) -> None:
        if len(await self._jobsets()) >= MOST_JOBSETS:
            return
        self._made += 1
        await self.plane.client.create(JOB_SETS, random_jobset(f"js{self._made}", NAMESPACE, self._rng))

    async def _patch_jobset(self, body: Object) -> None:
        if jobsets := await self._jobsets():
            await self._patch(self._rng.choice(jobsets), body)

    async def _patch(self, jobset: Object, body: Object) -> None:
        await self.plane.client.patch(JOB_SETS, objects.name_of(jobset), body, namespace=NAMESPACE)

    async def _delete_jobset(self) -> None:
        if jobsets := await self._jobsets():
            name = objects.name_of(self._rng.choice(jobsets))
            policy = self._rng.choice(("Background", "Foreground"))
            await self.plane.client.delete(JOB_SETS, name, NAMESPACE, propagation_policy=policy)

    async def _delete_job(self) -> None:
        if jobs := (await self.plane.client.list(JOBS, NAMESPACE)).items:
            name = objects.name_of(self._rng.choice(jobs))
            await self.plane.client.delete(JOBS, name, NAMESPACE, propagation_policy="Foreground")

    async def _delete_pod(self, grace_period_seconds: int | None = None) -> None:
        if pods := await self.nodes.pods():
            name = objects.name_of(self._rng.choice(pods))
            await self.plane.client.delete(PODS, name, NAMESPACE, grace_period_seconds=grace_period_seconds)

    async def _delete_service(self) -> None:
        if services := (await self.plane.client.list(SERVICES, NAMESPACE)).items:
            await self.plane.client.delete(SERVICES, objects.name_of(self._rng.choice(services)), NAMESPACE)

    async def _crash(self) -> None:
        self.plane.crash(self._rng.choice(list(CONTROLLERS)), self._rng.randint(1, 40))

    async def _silence_node(self) -> None:
        await self.nodes.fall_silent(self._rng.choice(NODE_NAMES))

    async def _lose_node(self) -> None:
        await self.nodes.leave(self._rng.choice(NODE_NAMES))

    async def _bring_node_back(self) -> None:
        await self.nodes.join(self._rng.choice(NODE_NAMES))

    async def _jump(self) -> None:
        self.plane.clock.jump(self._rng.choice((-3600.0, -5.0, 5.0, 900.0)))

    async def _jobsets(self) -> list[Object]:
        return (await self.plane.client.list(JOB_SETS, NAMESPACE)).items


def weather(seed: int, events: int, planted: Mapping[str, Wrap] | None = None) -> Storm:
    """A storm that is over, on a loop of its own with virtual time. Raises ``Violation``."""
    loop = looptime.patch_event_loop(asyncio.new_event_loop(), start=0)
    loop.setup_looptime(_enabled=True)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        storm = Storm(seed, planted)
        runner.run(storm.run(events))
        return storm
