"""A storm: random events in a random order, from one seed, with all rules checked after each.

Rounds follow one another: JobSets and their like are made, events happen to them and to the control plane, then the
faults stop and the rules of rest are checked, then nodes are kind until everything has ended, then everything is
deleted and nothing may be left. A violation names the seed and the event, so that it can be replayed.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

import looptime

from sidings.api import objects
from sidings.api.feature_gates import FeatureGates, Gate
from sidings.api.jobset import elastic
from sidings.api.objects import Object
from sidings.api.resources import (
    CRON_JOBS,
    JOB_SETS,
    JOBS,
    NAMESPACES,
    PODS,
    SERVICES,
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    Resource,
)
from sidings.api.status import ApiError
from tests.faults import rest, rules, workloads
from tests.faults.control_plane import FaultyControlPlane, Wrap
from tests.faults.faulty_client import Weather
from tests.faults.ledger import Ledger, Rule, Violation
from tests.faults.scripted_nodes import NODE_NAMES, ScriptedNodes

NAMESPACE = "storm"
ACTS_A_ROUND = 250
MOST = {JOB_SETS: 5, JOBS: 20, CRON_JOBS: 2, TRAIN_JOBS: 2}
"""Users make no more of a kind while there are so many."""
REST_SECONDS = 1530.3
"""More than the longest back-off of a controller, so that whatever is tried again has been; and half a minute after
timers of whole minutes, so that what they began (an eviction, the status of a queue) is over when it is judged."""
LONGEST_ENDING = 12_000.0
PAUSES = (0.0, 0.0, 0.05, 0.3, 1.0, 3.0, 12.0, 60.0)

AtRest = Callable[[Ledger], Iterator[str]]
Acts = dict[str, tuple[int, Callable[[], Awaitable[bool | None]]]]
"""How likely, and what is done; an act says False if there was nothing to act upon."""


class Storm:
    """``run`` lets a number of acts be tried; ``happened`` says which of them there was something to act upon for."""

    _made_kinds: ClassVar[tuple[Resource, ...]] = (TRAIN_JOBS, CRON_JOBS, JOB_SETS, JOBS, PODS, SERVICES)
    """Deleted at the end of a round, in this order."""

    def __init__(self, seed: int, planted: Mapping[str, Wrap] | None = None) -> None:
        self.seed = seed
        self.happened: Counter[str] = Counter()
        self._rng = random.Random(seed)
        self._weather = Weather()
        self.gates: FeatureGates = frozenset(
            gate for gate in (Gate.RESTART_JOB, Gate.ELASTIC_JOB_SET, Gate.IN_PLACE_RESTART) if self._rng.random() < 0.5
        )
        self.plane = self._control_plane(planted or {})
        self.ledger = self._new_ledger()
        self.nodes = ScriptedNodes(self.plane.client, self.plane.clock, self._rng)
        self._made = 0
        self._tried = 0
        self._acts = self._possible_acts()

    # What a storm of another sort does differently.

    def _control_plane(self, planted: Mapping[str, Wrap]) -> FaultyControlPlane:
        return FaultyControlPlane(self._rng, self._weather, planted, self.gates)

    def _new_ledger(self) -> Ledger:
        return Ledger()

    def _possible_acts(self) -> Acts:
        return {
            "node works": (60, self._node_works),
            "pod killed": (6, self._kill_pod),
            "jobset made": (6, lambda: self._make(JOB_SETS)),
            "job made": (2, lambda: self._make(JOBS)),
            "cronjob made": (1, lambda: self._make(CRON_JOBS)),
            "trainjob made": (2, lambda: self._make(TRAIN_JOBS)),
            "suspended": (4, lambda: self._patch_one({"spec": {"suspend": True}})),
            "resumed": (6, lambda: self._patch_one({"spec": {"suspend": False}})),
            "ttl changed": (1, lambda: self._patch_one({"spec": {"ttlSecondsAfterFinished": 60}}, JOB_SETS)),
            "annotated": (1, lambda: self._patch_one({"metadata": {"annotations": {"n": str(self._made)}}}, JOB_SETS)),
            "resized": (2, self._resize),
            "schedule changed": (1, lambda: self._patch_one({"spec": {"schedule": "*/3 * * * *"}}, CRON_JOBS)),
            "jobset deleted": (2, lambda: self._delete(JOB_SETS)),
            "trainjob deleted": (1, lambda: self._delete(TRAIN_JOBS)),
            "cronjob deleted": (1, lambda: self._delete(CRON_JOBS)),
            "job deleted": (2, lambda: self._delete(JOBS)),
            "pod deleted": (2, self._delete_pod),
            "pod deleted by force": (1, lambda: self._delete_pod(grace_period_seconds=0)),
            "service deleted": (1, self._delete_service),
            "controller crashed": (4, self._crash),
            "node silent": (1, self._silence_node),
            "node gone": (1, self._lose_node),
            "node back": (3, self._bring_node_back),
            "clock jumped": (1, self._jump),
        }

    def _rules(self) -> Mapping[str, Rule]:
        """What every change must keep, by name."""
        return rules.RULES

    def _rules_of_rest(self) -> Sequence[AtRest]:
        return (
            rest.no_pod_without_an_owner,
            rest.no_job_without_an_owner,
            rest.a_suspended_set_has_no_pods,
            rest.a_suspended_train_job_has_no_pods,
            rest.no_more_jobs_are_kept_than_asked_for,
            rest.a_finished_set_has_no_pods,
        )

    def _what_is_left(self, ledger: Ledger) -> Iterator[str]:
        """After everything was deleted."""
        return rest.nothing_is_left(ledger)

    async def _prepare(self) -> None:
        await self.plane.client.create(
            NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        )
        await self.plane.client.create(TRAINING_RUNTIMES, workloads.runtime(NAMESPACE))

    # A storm.

    @property
    def faults(self) -> Counter[str]:
        """Faults of clients and crashes, which come on top of the events."""
        return self._weather.seen

    async def run(self, acts: int) -> None:
        """Raises ``Violation`` with the seed in its message."""
        await self._prepare()
        plane = asyncio.create_task(self.plane.run())
        ledger = asyncio.create_task(self.ledger.follow(self.plane.client))
        try:
            await self._rounds(acts, ledger)
        except Violation as violation:
            message = f"{violation}\nact {self._tried}; to replay: STORM_SEED={self.seed}"
            raise Violation(message) from None
        finally:
            plane.cancel()
            ledger.cancel()
            await asyncio.gather(plane, ledger, return_exceptions=True)

    async def _rounds(self, acts: int, ledger: asyncio.Task[None]) -> None:
        """A ledger that gives up ends them: where controllers never rest, virtual time stands and no sleep is over."""
        storm = asyncio.current_task()
        assert storm is not None

        def give_up(_: object) -> None:
            storm.cancel()

        ledger.add_done_callback(give_up)
        try:
            while self._tried < acts:
                await self._round(min(ACTS_A_ROUND, acts - self._tried))
        except asyncio.CancelledError:
            if ledger.done():
                storm.uncancel()
                ledger.result()
            raise
        finally:
            ledger.remove_done_callback(give_up)

    async def _round(self, acts: int) -> None:
        self._weather.calm = False
        for name in NODE_NAMES:
            await self.nodes.join(name)
        names, weights = list(self._acts), [weight for weight, _ in self._acts.values()]
        for _ in range(acts):
            [name] = self._rng.choices(names, weights)
            self._tried += 1
            self.happened[name] += await self._act(self._acts[name][1])
            await self._pass(self._rng.choice(PAUSES))
        self._weather.calm = True
        await self._pass(REST_SECONDS)
        self._must_hold(*self._rules_of_rest())
        await self._end_all()
        await self._delete_all()

    async def _act(self, act: Callable[[], Awaitable[bool | None]]) -> bool:
        """Whether something was done; a user's request that is refused or too late was made all the same."""
        try:
            return await act() is not False
        except ApiError:
            return True

    async def _pass(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.ledger.check(self._rules())

    def _must_hold(self, *rules: AtRest) -> None:
        for rule in rules:
            for complaint in rule(self.ledger):
                raise Violation(f"{rule.__name__.lstrip('_')}: {complaint}")

    async def _end_all(self) -> None:
        """Kind nodes, no suspension: every JobSet must end."""
        for name in NODE_NAMES:
            await self.nodes.join(name)
        await self._be_kind()
        await self._until(lambda: not list(rest.everything_has_ended(self.ledger)))
        self._must_hold(rest.everything_has_ended)

    async def _be_kind(self) -> None:
        """Take away what users have done to keep things from ending: suspension, and sizes that no Job can have."""
        for cron_job in await self._own(CRON_JOBS):
            await self._patch(CRON_JOBS, cron_job, {"spec": {"suspend": True}})
        for resource in (TRAIN_JOBS, JOB_SETS, JOBS):
            for obj in await self._own(resource):
                if obj["spec"].get("suspend"):
                    await self._patch(resource, obj, {"spec": {"suspend": False}})
        for jobset in await self._own(JOB_SETS):
            await self._act(partial(self._make_room, jobset))

    async def _make_room(self, jobset: Object) -> bool:
        """Where a group was made smaller than the failures that it allows, its Jobs refuse to follow; undo that."""
        groups = objects.copy_of(jobset["spec"]["replicatedJobs"])
        for job_spec in (group["template"]["spec"] for group in groups):
            if (least := job_spec.get("maxFailedIndexes")) and job_spec["completions"] < least:
                job_spec |= dict.fromkeys(elastic.SIZE, least)
        if changed := groups != jobset["spec"]["replicatedJobs"]:
            await self._patch(JOB_SETS, jobset, {"spec": {"replicatedJobs": groups}})
        return changed

    async def _delete_all(self) -> None:
        client = self.plane.client
        for resource in self._made_kinds:
            for obj in (await client.list(resource, NAMESPACE)).items:
                try:
                    await client.delete(resource, objects.name_of(obj), NAMESPACE, propagation_policy="Background")
                except ApiError:
                    continue  # its owner's deletion was faster
        await self._until(lambda: not list(self._what_is_left(self.ledger)))
        self._must_hold(self._what_is_left)

    async def _until(self, met: Callable[[], bool]) -> None:
        """Let kind nodes work until ``met``; what is not met in a long time is left for the rules to tell."""
        clock = self.plane.clock
        start, pause = clock.monotonic(), 1.0
        while not met() and clock.monotonic() - start < LONGEST_ENDING:
            for pod in await self.nodes.pods():
                await self.nodes.advance(pod, kind=True)
            await self._pass(pause)
            pause = min(pause * 1.5, 300.0)

    # --- the acts: each says whether there was something to act upon --------------------------------------------------

    async def _node_works(self) -> bool:
        pods = await self.nodes.pods()
        return bool(pods) and await self.nodes.advance(self._rng.choice(pods))

    async def _kill_pod(self) -> bool:
        if running := [pod for pod in await self.nodes.pods() if self.nodes.runs(pod)]:
            await self.nodes.kill(self._rng.choice(running))
        return bool(running)

    async def _make(self, resource: Resource) -> bool:
        if len((await self.plane.client.list(resource, NAMESPACE)).items) >= MOST[resource]:
            return False
        self._made += 1
        name = f"{resource.kind.lower()}{self._made}"
        make: dict[Resource, Callable[[], Object]] = {
            JOB_SETS: lambda: workloads.random_jobset(name, NAMESPACE, self._rng, self.gates),
            JOBS: lambda: workloads.random_job(name, NAMESPACE, self._rng),
            CRON_JOBS: lambda: workloads.random_cron_job(name, NAMESPACE, self._rng),
            TRAIN_JOBS: lambda: workloads.random_train_job(name, NAMESPACE, self._rng),
        }
        await self.plane.client.create(resource, make[resource]())
        return True

    async def _patch_one(self, body: Object, resource: Resource | None = None) -> bool:
        """Users change what they made, not what that made in turn."""
        resource = resource or self._rng.choice((JOB_SETS, JOB_SETS, JOB_SETS, JOBS, TRAIN_JOBS, CRON_JOBS))
        if own := await self._own(resource):
            await self._patch(resource, self._rng.choice(own), body)
        return bool(own)

    async def _patch(self, resource: Resource, obj: Object, body: Object) -> None:
        await self.plane.client.patch(resource, objects.name_of(obj), body, namespace=NAMESPACE)

    async def _resize(self) -> bool:
        """One group of a JobSet, where the gate lets it."""
        if own := await self._own(JOB_SETS):
            jobset = objects.copy_of(self._rng.choice(own))
            group = self._rng.choice(jobset["spec"]["replicatedJobs"])
            group["template"]["spec"] |= dict.fromkeys(elastic.SIZE, self._rng.randint(1, 3))
            await self.plane.client.update(JOB_SETS, jobset)
        return bool(own)

    async def _delete(self, resource: Resource) -> bool:
        """Of what its owner makes again users wait for the end: else it would meet its own pods."""
        if present := (await self.plane.client.list(resource, NAMESPACE)).items:
            obj = self._rng.choice(present)
            owned = objects.controller_of(obj) is not None
            policy = "Foreground" if owned else self._rng.choice(("Background", "Foreground", "Orphan"))
            await self.plane.client.delete(resource, objects.name_of(obj), NAMESPACE, propagation_policy=policy)
        return bool(present)

    async def _delete_pod(self, grace_period_seconds: int | None = None) -> bool:
        if pods := await self.nodes.pods():
            name = objects.name_of(self._rng.choice(pods))
            await self.plane.client.delete(PODS, name, NAMESPACE, grace_period_seconds=grace_period_seconds)
        return bool(pods)

    async def _delete_service(self) -> bool:
        if services := (await self.plane.client.list(SERVICES, NAMESPACE)).items:
            await self.plane.client.delete(SERVICES, objects.name_of(self._rng.choice(services)), NAMESPACE)
        return bool(services)

    async def _crash(self) -> bool:
        """Arranges a crash; that is counted, among the faults, when it comes."""
        self.plane.crash(self._rng.choice(list(self.plane.controllers)), self._rng.randint(1, 40))
        return False

    async def _silence_node(self) -> bool:
        name = self._rng.choice(NODE_NAMES)
        up = name not in self.nodes.down
        await self.nodes.fall_silent(name)
        return up

    async def _lose_node(self) -> bool:
        await self.nodes.leave(self._rng.choice(NODE_NAMES))
        return True

    async def _bring_node_back(self) -> bool:
        name = self._rng.choice(NODE_NAMES)
        down = name in self.nodes.down
        await self.nodes.join(name)
        return down

    async def _jump(self) -> bool:
        self.plane.clock.jump(self._rng.choice((-3600.0, -5.0, 5.0, 900.0)))
        return True

    async def _own(self, resource: Resource) -> list[Object]:
        """What users have made, of a kind."""
        present = (await self.plane.client.list(resource, NAMESPACE)).items
        return [obj for obj in present if objects.controller_of(obj) is None]


def weather(seed: int, acts: int, planted: Mapping[str, Wrap] | None = None, sort: type[Storm] = Storm) -> Storm:
    """A storm that is over, on a loop of its own with virtual time. Raises ``Violation``."""
    loop = looptime.patch_event_loop(asyncio.new_event_loop(), start=0)
    loop.setup_looptime(_enabled=True, noop_cycles=0)  # nothing outside is waited for
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        storm = sort(seed, planted)
        runner.run(storm.run(acts))
        return storm
