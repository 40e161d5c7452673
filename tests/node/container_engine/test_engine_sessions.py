from pathlib import Path

from sidings.node.container_engine.engine_sessions import marked


def test_a_sessions_processes_are_those_with_its_mark(tmp_path: Path) -> None:
    for pid, environ in (("12", b"A=1\0SIDINGS_SESSION=c/1\0"), ("13", b"SIDINGS_SESSION=c/11\0"), ("14", b"")):
        (tmp_path / pid).mkdir()
        (tmp_path / pid / "environ").write_bytes(environ)
    (tmp_path / "self").mkdir()
    (tmp_path / "15").mkdir()
    assert marked(tmp_path, "SIDINGS_SESSION=c/1") == [12]
