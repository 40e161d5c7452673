"""Workload between v1beta1 and v1beta2."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidings.api.kueue.conversion import workload


def test_a_priority_class_by_name_and_source() -> None:
    older = {
        "spec": {
            "priorityClassName": "high",
            "priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass",
            "priority": 5,
        }
    }
    stored = {
        "spec": {
            "priority": 5,
            "priorityClassRef": {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"},
        }
    }
    assert workload.to_stored(older) == stored
    assert workload.from_stored(stored) == older


def test_a_source_without_a_name_says_nothing() -> None:
    assert workload.to_stored({"spec": {"priorityClassSource": "", "queueName": "q"}}) == {"spec": {"queueName": "q"}}


def test_the_spelling_of_the_older_version() -> None:
    stored = {"status": {"accumulatedPastExecutionTimeSeconds": 7}}
    older = {"status": {"accumulatedPastExexcutionTimeSeconds": 7}}
    assert workload.from_stored(stored) == older
    assert workload.to_stored(older) == stored


def test_what_only_the_newer_version_has_is_left_out() -> None:
    request = {"required": "rack", "podsetSliceRequiredTopologyConstraints": [{"topology": "rack", "size": 2}]}
    stored = {"spec": {"preemptionGates": [{"name": "g"}], "podSets": [{"name": "main", "topologyRequest": request}]}}
    assert workload.from_stored(stored) == {
        "spec": {"podSets": [{"name": "main", "topologyRequest": {"required": "rack"}}]}
    }


@given(
    st.dictionaries(
        st.tuples(st.text("abc-12", min_size=1, max_size=6), st.text("abc-12", min_size=1, max_size=6)),
        st.integers(1, 9),
        min_size=1,
        max_size=8,
    )
)
def test_domains_survive_the_compact_form(domains: dict[tuple[str, str], int]) -> None:
    listed = [{"values": list(values), "count": count} for values, count in sorted(domains.items())]
    assignment = {"levels": ["block", "rack"], "domains": listed}
    older = {
        "status": {
            "admission": {"clusterQueue": "q", "podSetAssignments": [{"name": "m", "topologyAssignment": assignment}]}
        }
    }
    assert workload.from_stored(workload.to_stored(older)) == older
