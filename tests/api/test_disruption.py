import pytest

from sidings.api import disruption
from sidings.api.status import TooManyRequests, UnexplainedError

NOW = "2026-01-01T00:00:00Z"


def budget(name="b", **spec):
    selector = {"matchLabels": {"app": "a"}}
    return {"metadata": {"name": name, "generation": 1}, "spec": {"selector": selector, **spec}}


def pod(*, ready=True, app="a", phase="Running", node="node-1", deleting=False):
    return {
        "metadata": {"labels": {"app": app}, **({"deletionTimestamp": NOW} if deleting else {})},
        "spec": {"nodeName": node},
        "status": {"phase": phase, "conditions": [{"type": "Ready", "status": str(ready)}]},
    }


READY, UNREADY = pod(), pod(ready=False)


@pytest.mark.parametrize(
    ("spec", "pods", "expected"),
    [
        ({"minAvailable": 2}, [READY, READY, READY], (3, 2, 3, 1)),
        ({"minAvailable": 2}, [READY, UNREADY, pod(app="b")], (2, 2, 1, 0)),
        ({"minAvailable": "50%"}, [READY, READY, READY], (3, 2, 3, 1)),
        ({"maxUnavailable": 1}, [READY, READY, UNREADY], (3, 2, 2, 0)),
        ({"maxUnavailable": "34%"}, [READY, READY, READY], (3, 1, 3, 2)),
        ({"maxUnavailable": 5}, [READY], (1, 0, 1, 1)),
        ({"minAvailable": 0}, [], (0, 0, 0, 0)),
        ({"minAvailable": 1}, [READY, pod(phase="Succeeded"), pod(deleting=True)], (2, 1, 1, 0)),
    ],
)
def test_the_figures(spec, pods, expected):
    found = disruption.count(budget(**spec), pods)
    assert (*found, found.allowed) == expected


def test_an_eviction_that_would_leave_too_few():
    refused = disruption.refusal(READY, [budget(minAvailable=1)], [READY])
    assert isinstance(refused, TooManyRequests)
    assert refused.message == "Cannot evict pod as it would violate the pod's disruption budget."
    (cause,) = refused.causes
    assert cause == ("DisruptionBudget", "The disruption budget b needs 1 healthy pods and has 1 currently", "")


def test_evictions_that_hurt_nobody():
    budgets = [budget(minAvailable=1)]
    assert disruption.refusal(READY, budgets, [READY, READY]) is None
    assert disruption.refusal(pod(app="b"), budgets, [READY]) is None
    assert disruption.refusal(pod(phase="Failed"), budgets, [READY]) is None
    assert disruption.refusal(pod(node=""), budgets, [READY]) is None
    assert disruption.refusal(UNREADY, budgets, [READY, UNREADY]) is None, "it counts for nothing as it is"


def test_a_pod_that_is_not_well_is_kept_while_too_few_are():
    assert disruption.refusal(UNREADY, [budget(minAvailable=2)], [READY, UNREADY]) is not None
    always = [budget(minAvailable=2, unhealthyPodEvictionPolicy="AlwaysAllow")]
    assert disruption.refusal(UNREADY, always, [READY, UNREADY]) is None


def test_two_budgets_for_one_pod():
    refused = disruption.refusal(READY, [budget(minAvailable=0), budget("c", minAvailable=0)], [READY])
    assert isinstance(refused, UnexplainedError) and "more than one PodDisruptionBudget" in refused.message


def test_the_time_of_the_condition_is_that_of_its_change():
    first = budget(minAvailable=1)
    first["status"] = disruption.status(first, [READY, READY], NOW)
    assert first["status"]["conditions"][0]["reason"] == "SufficientPods"
    again = disruption.status(first, [READY, READY, READY], "2026-01-02T00:00:00Z")
    assert again["conditions"][0]["lastTransitionTime"] == NOW
    fewer = disruption.status(first, [READY], "2026-01-02T00:00:00Z")["conditions"][0]
    assert (fewer["reason"], fewer["lastTransitionTime"]) == ("InsufficientPods", "2026-01-02T00:00:00Z")
