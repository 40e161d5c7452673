"""What the real API server answered to recorded requests (kube-apiserver 1.36.2), and what we answer to them."""

from pathlib import Path

import pytest

from tests.conformance import traces
from tests.conformance.command import main

RECORDED = sorted((Path(__file__).parent / "recordings" / "answers").glob("*.json.gz"))


@pytest.mark.parametrize("file", [pytest.param(file, id=file.name) for file in RECORDED])
def test_answers_agree(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([str(file), "--in-process"])
    assert (code, capsys.readouterr().out.splitlines()[:-1]) == (0, [])


def test_paths_at_which_upstream_differs_from_itself_are_not_compared() -> None:
    trace = {
        "snapshots": [{"after_step": 4}],
        "repeat": {
            "differing_paths": ["/snaps[0]/objects/Job[0]/metadata/generation", "/steps[2]/result/details/name"],
            "events_identical": False,
        },
    }
    differences = [
        traces.Difference(4, "Job metadata.generation", 1, 2),
        traces.Difference(2, "Answer:Job details.name", "a", "b"),
        traces.Difference(3, "Event Job/a Normal X", 1, None),
        traces.Difference(4, "Job metadata.name", "a", "b"),
        traces.Difference(3, "Answer:Job details.name", "a", "b"),
    ]
    assert traces.repeatable(trace, differences) == differences[3:]
