from pathlib import Path
from typing import Any

import pytest

from sidings.node.limits import storage
from sidings.node.limits.storage import Usage
from tests.node.pods import container, pod

KIBIBYTE = 1024


def _limited(name: str, limit: str) -> dict[str, Any]:
    return container(name, resources={"limits": {"ephemeral-storage": limit}})


def _volume(name: str, **source: str) -> dict[str, Any]:
    return {"name": name, "emptyDir": source}


def test_only_limits_on_disk_are_measured() -> None:
    assert not storage.has_limits(pod(volumes=[_volume("v"), _volume("m", medium="Memory", sizeLimit="1Mi")]))
    assert storage.has_limits(pod(volumes=[_volume("v", sizeLimit="1Mi")]))
    assert storage.has_limits(pod(_limited("c", "1Gi")))


@pytest.mark.parametrize(
    ("usage", "message"),
    [
        (Usage({"v": KIBIBYTE}, {"a": 2 * KIBIBYTE, "b": 0}), ""),
        (Usage({"v": KIBIBYTE + 1}, {}), 'Usage of EmptyDir volume "v" exceeds the limit "1Ki". '),
        (Usage({}, {"a": KIBIBYTE * 2 + 1}), 'Container a exceeded its local ephemeral storage limit "2Ki". '),
        (
            Usage({"v": KIBIBYTE}, {"a": KIBIBYTE, "b": 4 * KIBIBYTE}),
            "Pod ephemeral local storage usage exceeds the total limit of containers 5Ki. ",
        ),
    ],
)
def test_what_is_over_its_limit_is_told_in_kubelets_words(usage: Usage, message: str) -> None:
    limited = pod(_limited("a", "2Ki"), _limited("b", "3Ki"), volumes=[_volume("v", sizeLimit="1Ki")])
    assert storage.excess(limited, usage) == message


def test_a_container_uses_what_it_wrote_and_its_logs(tmp_path: Path) -> None:
    for place in ("containers/c/0/tmp", "logs/c", "volumes/empty/v/deep"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "file").write_bytes(bytes(64 * KIBIBYTE))
    usage = storage.measure(pod(volumes=[_volume("v")]), tmp_path)
    assert 128 * KIBIBYTE <= usage.containers["c"] < 192 * KIBIBYTE
    assert 64 * KIBIBYTE <= usage.empty_dirs["v"] < 96 * KIBIBYTE
