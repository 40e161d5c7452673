import asyncio
from pathlib import Path

import pytest

from sidings.clock import SystemClock
from sidings.node.container_engine.image_store import ImageStore
from sidings.node.errors import ImageUnavailable
from tests.node.container_engine.engines import asked, scripted

FOUND = 'echo \'[{"Id": "abc", "RepoDigests": ["a@sha256:1"], "Size": 5}]\''
ABSENT = f"""
case "$1" in
  image) test -e {{0}}/pulled || exit 125; {FOUND};;
  pull) touch {{0}}/pulled;;
esac"""
UNREACHABLE = 'case "$1" in pull) echo "Error: no such host" >&2; exit 125;; *) exit 125;; esac'


class Notes:
    def __init__(self) -> None:
        self.events: list[str] = []

    def __call__(self, type_: str, reason: str, message: str) -> None:
        self.events.append(f"{type_} {reason} {message}")


async def test_an_image_that_is_here_is_not_pulled(tmp_path: Path) -> None:
    engine, notes = scripted(tmp_path, FOUND), Notes()
    image = await ImageStore(engine, SystemClock()).ensure("u", "a:1", "IfNotPresent", notes)
    assert image.reference == "a@sha256:1"
    assert notes.events == ['Normal Pulled Container image "a:1" already present on machine']
    assert asked(engine) == ["image inspect docker.io/library/a:1"]


async def test_an_image_that_is_absent_is_pulled_by_its_full_name_once_for_all_pods(tmp_path: Path) -> None:
    engine, notes = scripted(tmp_path, ABSENT.replace("{0}", str(tmp_path))), Notes()
    store = ImageStore(engine, SystemClock())
    await asyncio.gather(*(store.ensure(uid, "a:1", "IfNotPresent", notes) for uid in "uv"))
    assert [line for line in asked(engine) if line.startswith("pull")] == ["pull --quiet docker.io/library/a:1"]
    assert notes.events[0] == 'Normal Pulling Pulling image "a:1"'
    assert notes.events[1].startswith('Normal Pulled Successfully pulled image "a:1" in ')


async def test_always_pulls_what_is_here(tmp_path: Path) -> None:
    engine, notes = scripted(tmp_path, FOUND), Notes()
    await ImageStore(engine, SystemClock()).ensure("u", "a:1", "Always", notes)
    assert "pull --quiet docker.io/library/a:1" in asked(engine)


async def test_a_failed_pull_backs_off(tmp_path: Path) -> None:
    engine, notes = scripted(tmp_path, UNREACHABLE), Notes()
    store = ImageStore(engine, SystemClock())
    with pytest.raises(ImageUnavailable) as first:
        await store.ensure("u", "a:1", "IfNotPresent", notes)
    assert first.value.reason == "ErrImagePull"
    assert str(first.value) == 'Failed to pull image "a:1": no such host'
    with pytest.raises(ImageUnavailable) as second:
        await store.ensure("u", "a:1", "IfNotPresent", notes)
    assert second.value.reason == "ImagePullBackOff"
    assert str(second.value) == 'Back-off pulling image "a:1": ErrImagePull: no such host'
    assert 0 < second.value.retry_seconds <= 10
    with pytest.raises(ImageUnavailable) as other:
        await store.ensure("v", "a:1", "IfNotPresent", notes)
    assert other.value.reason == "ErrImagePull"
    assert 'Normal BackOff Back-off pulling image "a:1"' in notes.events


@pytest.mark.parametrize(
    ("reference", "policy", "reason", "text"),
    [
        ("a:1", "Never", "ErrImageNeverPull", 'Container image "a:1" is not present with pull policy of Never'),
        ("Bad::", "Always", "InvalidImageName", "invalid reference format"),
    ],
)
async def test_what_is_never_pulled(tmp_path: Path, reference: str, policy: str, reason: str, text: str) -> None:
    engine = scripted(tmp_path, UNREACHABLE)
    with pytest.raises(ImageUnavailable, match=text) as refused:
        await ImageStore(engine, SystemClock()).ensure("u", reference, policy, Notes())
    assert refused.value.reason == reason
    assert not any(line.startswith("pull") for line in asked(engine))
