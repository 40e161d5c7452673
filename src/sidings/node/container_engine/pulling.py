"""Whether an image is pulled, and how a failure reads. Pure.

Reasons, messages and back-off are kubelet's (v1.36: ``pkg/kubelet/images/image_manager.go``, ``types.go``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

ALWAYS, NEVER = "Always", "Never"
ERR_IMAGE_PULL = "ErrImagePull"
IMAGE_PULL_BACK_OFF = "ImagePullBackOff"
ERR_IMAGE_NEVER_PULL = "ErrImageNeverPull"
INVALID_IMAGE_NAME = "InvalidImageName"
BACK_OFF_SECONDS, MAX_BACK_OFF_SECONDS = 10.0, 300.0


def is_pulled(policy: str, present: bool) -> bool:
    """``policy`` is the container's ``imagePullPolicy``; the API's defaults have filled it in."""
    return policy == ALWAYS or (policy != NEVER and not present)


def pulling(image: str) -> str:
    return f'Pulling image "{image}"'


def pulled(image: str, seconds: float, size: int) -> str:
    took = _duration(seconds)
    return f'Successfully pulled image "{image}" in {took} ({took} including waiting). Image size: {size} bytes.'


def present(image: str) -> str:
    return f'Container image "{image}" already present on machine'


def failed(image: str, why: str) -> str:
    return f'Failed to pull image "{image}": {why}'


def backing_off(image: str) -> str:
    return f'Back-off pulling image "{image}"'


def never_pulled(image: str) -> str:
    return f'Container image "{image}" is not present with pull policy of Never'


def invalid(image: str) -> str:
    return (
        f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": invalid reference format'
    )


def _duration(seconds: float) -> str:
    """As Go prints a duration rounded to milliseconds: ``850ms``, ``1.2s``."""
    return f"{round(seconds * 1000)}ms" if seconds < 1 else f"{round(seconds, 3):g}s"


@dataclass
class _Failure:
    text: str
    until: float
    delay: float


@dataclass
class BackOff:
    """Failed pulls by key (pod and image); moments are of a monotonic clock, in seconds."""

    _failures: dict[str, _Failure] = field(default_factory=dict)

    def fail(self, key: str, text: str, now: float) -> None:
        """A pull has failed: the next one waits, twice as long each time."""
        before = self._failures.get(key)
        delay = min(before.delay * 2, MAX_BACK_OFF_SECONDS) if before else BACK_OFF_SECONDS
        self._failures[key] = _Failure(text, now + delay, delay)

    def left(self, key: str, now: float) -> float:
        """Seconds until ``key`` may be pulled again; 0 or less: now."""
        known = self._failures.get(key)
        return known.until - now if known else 0.0

    def text(self, key: str) -> str:
        return self._failures[key].text

    def forget(self, key: str) -> None:
        self._failures.pop(key, None)
