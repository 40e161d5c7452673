"""The recordings of the API and of kubectl, played against a whole engine over TLS."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.command import main

pytestmark = pytest.mark.soak
RECORDED = sorted(
    file
    for folder in ("answers", "kubectl")
    for file in (Path(__file__).parent / "recordings" / folder).glob("*.json.gz")
)


@pytest.fixture
def kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Of an engine with API and controllers alone."""
    monkeypatch.setenv("SIDINGS_HOME", str(tmp_path / "home"))
    sidings = [sys.executable, "-m", "sidings"]
    subprocess.run([*sidings, "up", "--nodes", "0", "--port", "0"], check=True, capture_output=True, timeout=60)
    yield tmp_path / "home" / "kubeconfig"
    subprocess.run([*sidings, "down", "--force"], check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("file", [pytest.param(file, id=file.name) for file in RECORDED])
def test_recordings_agree(file: Path, kubeconfig: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([str(file), "--kubeconfig", str(kubeconfig)])
    assert code == 0, capsys.readouterr().out
