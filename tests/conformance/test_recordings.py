"""The real control plane's recorded runs of Jobs, JobSets and TrainJobs, played here on virtual time.

The recordings (kube-apiserver and kube-controller-manager 1.36.2, JobSet after v0.12) are facts of upstream, so nothing
in them is ever edited to fit. What may differ is in ``differences.yaml``.
"""

from pathlib import Path

import pytest

from sidings.api.objects import Object
from tests.conformance import traces
from tests.conformance.command import outcome

RULES = traces.load_rules()
RECORDED = [
    trace for file in sorted(Path(__file__).with_name("recordings").glob("*.json.gz")) for trace in traces.load(file)
]


@pytest.mark.parametrize("trace", [pytest.param(trace, id=trace["name"]) for trace in RECORDED])
def test_recording(trace: Object) -> None:
    if reason := traces.unplayable(trace, RULES):
        pytest.skip(reason)
    failure, differences = outcome(trace)
    left = [str(difference) for difference in traces.unexplained(traces.repeatable(trace, differences), RULES, trace)]
    if left and trace["repeat"].get("identical") is False:
        pytest.skip("upstream was recorded twice, and its own two runs differ")
    assert failure == ""
    assert left == []


def test_every_rule_says_why() -> None:
    assert all(rule.reason for rule in RULES)
