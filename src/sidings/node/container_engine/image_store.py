"""The images of a container engine: found, or pulled as ``imagePullPolicy`` says, with kubelet's back-off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sidings.clock import Clock
from sidings.node.container_engine import image, pulling
from sidings.node.container_engine.complaint import complaint
from sidings.node.container_engine.engine import ContainerEngine
from sidings.node.container_engine.image import Image
from sidings.node.errors import ImageUnavailable

Note = Callable[[str, str, str], None]
"""Record an event of the pod: type, reason, message."""


class ImageStore:
    """Of one agent; pods that want the same image wait for one pull of it."""

    def __init__(self, engine: ContainerEngine, clock: Clock) -> None:
        self.engine = engine
        self._clock = clock
        self._back_off = pulling.BackOff()
        self._locks: dict[str, asyncio.Lock] = {}

    async def ensure(self, pod_uid: str, reference: str, policy: str, note: Note) -> Image:
        """The image ``reference``, pulled if need be. Raises ``ImageUnavailable`` with kubelet's reason."""
        if not image.is_reference(reference):
            raise ImageUnavailable(pulling.invalid(reference), reason=pulling.INVALID_IMAGE_NAME)
        async with self._alone(reference):
            found = await self._find(reference)
            if not pulling.is_pulled(policy, found is not None):
                if found is None:
                    raise ImageUnavailable(pulling.never_pulled(reference), reason=pulling.ERR_IMAGE_NEVER_PULL)
                note("Normal", "Pulled", pulling.present(reference))
                return found
            return await self._pull(f"{pod_uid} {reference}", reference, note)

    async def _pull(self, key: str, reference: str, note: Note) -> Image:
        left = self._back_off.left(key, self._clock.monotonic())
        if left > 0:
            note("Normal", "BackOff", pulling.backing_off(reference))
            text = f"{pulling.backing_off(reference)}: {pulling.ERR_IMAGE_PULL}: {self._back_off.text(key)}"
            raise ImageUnavailable(text, reason=pulling.IMAGE_PULL_BACK_OFF, retry_seconds=left)
        note("Normal", "Pulling", pulling.pulling(reference))
        begun = self._clock.monotonic()
        code, _, said = await self._ask("pull", "--quiet", image.full_name(reference))
        found = await self._find(reference) if code == 0 else None
        if found is None:
            text = complaint(said)
            self._back_off.fail(key, text, self._clock.monotonic())
            note("Warning", "Failed", pulling.failed(reference, text))
            raise ImageUnavailable(pulling.failed(reference, text), reason=pulling.ERR_IMAGE_PULL, retry_seconds=1)
        self._back_off.forget(key)
        note("Normal", "Pulled", pulling.pulled(reference, self._clock.monotonic() - begun, found.size))
        return found

    async def _find(self, reference: str) -> Image | None:
        """As written (an image that was imported or built here), or under its full name."""
        for name in dict.fromkeys((image.full_name(reference), reference)):
            code, answer, _ = await self._ask("image", "inspect", name)
            if code == 0:
                return image.parse_inspection(answer)
        return None

    async def _ask(self, *words: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of the engine."""
        process = await asyncio.create_subprocess_exec(
            *self.engine.command(*words),
            env=dict(self.engine.environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            answer, said = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            raise
        assert process.returncode is not None
        return process.returncode, answer.decode(errors="replace"), said.decode(errors="replace")

    @asynccontextmanager
    async def _alone(self, reference: str) -> AsyncIterator[None]:
        lock = self._locks.setdefault(reference, asyncio.Lock())
        async with lock:
            yield
