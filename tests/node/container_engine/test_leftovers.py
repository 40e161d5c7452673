from pathlib import Path

from sidings.node.container_engine import leftovers
from tests.node.container_engine.engines import asked, scripted

TWO = 'case "$1" in ps) echo "id-1 u"; echo "id-2 v";; esac'


async def test_the_containers_of_one_pod(tmp_path: Path) -> None:
    engine = scripted(tmp_path, TWO)
    assert await leftovers.remove(engine, lambda uid: uid == "v") == 1
    assert asked(engine)[-1] == "rm --force --volumes --ignore --time 0 id-2"


async def test_all_containers_of_an_agent(tmp_path: Path) -> None:
    engine = scripted(tmp_path, TWO)
    assert await leftovers.remove(engine) == 2
    assert asked(engine)[-1].endswith(" id-1 id-2")


async def test_nothing_is_left(tmp_path: Path) -> None:
    engine = scripted(tmp_path, "true")
    assert await leftovers.remove(engine) == 0
    assert len(asked(engine)) == 1
