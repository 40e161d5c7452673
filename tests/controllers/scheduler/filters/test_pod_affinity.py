"""Pods that want to be near others, or away from them."""

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.scheduler.choice import choose
from sidings.controllers.scheduler.filters import pod_affinity
from sidings.controllers.scheduler.snapshot import Snapshot, take
from tests.controllers.pods import node, pod

RACK = "rack"
NODES = [node("a1", labels={RACK: "a"}), node("a2", labels={RACK: "a"}), node("b1", labels={RACK: "b"}), node("none")]


def labelled(name: str, node_name: str = "", namespace: str = "default", **labels: str) -> Object:
    made = pod(name, node=node_name)
    made["metadata"] |= {"labels": labels, "namespace": namespace}
    return made


def term(**fields: Any) -> Object:
    return {"topologyKey": RACK, "labelSelector": {"matchLabels": {"app": "x"}}, **fields}


def near(made: Object, *terms: Object, kind: str = "podAffinity") -> Object:
    made["spec"].setdefault("affinity", {})[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}
    return made


def away(made: Object, *terms: Object) -> Object:
    return near(made, *terms, kind="podAntiAffinity")


def refused(incoming: Object, snapshot: Snapshot) -> dict[str, str]:
    """The reason by node."""
    rule = pod_affinity.rule(incoming, snapshot)
    found = {name: rule(incoming, state) for name, state in snapshot.nodes.items()}
    return {name: reasons[0] for name, reasons in found.items() if reasons}


def test_without_terms_every_node_will_do() -> None:
    assert refused(labelled("p", app="x"), take(NODES, [labelled("x", "a1", app="x")])) == {}


def test_near_means_the_same_domain() -> None:
    snapshot = take(NODES, [labelled("x", "a1", app="x")])
    assert refused(near(labelled("p"), term()), snapshot) == dict.fromkeys(("b1", "none"), pod_affinity.AFFINITY)


def test_near_to_nobody_is_nowhere() -> None:
    assert set(refused(near(labelled("p"), term()), take(NODES, []))) == {"a1", "a2", "b1", "none"}


def test_the_first_of_a_group_begins_where_the_label_is() -> None:
    assert set(refused(near(labelled("p", app="x"), term()), take(NODES, []))) == {"none"}


def test_every_term_must_be_met_by_the_same_pod() -> None:
    both = near(labelled("p"), term(), term(labelSelector={"matchLabels": {"tier": "y"}}))
    assert len(refused(both, take(NODES, [labelled("x", "a1", app="x"), labelled("y", "a1", tier="y")]))) == 4
    assert set(refused(both, take(NODES, [labelled("x", "a1", app="x", tier="y")]))) == {"b1", "none"}


def test_away_from_others() -> None:
    snapshot = take(NODES, [labelled("x", "a1", app="x")])
    assert refused(away(labelled("p"), term()), snapshot) == dict.fromkeys(("a1", "a2"), pod_affinity.ANTI_AFFINITY)


def test_others_keep_away_who_is_not_wanted() -> None:
    snapshot = take(NODES, [away(labelled("x", "b1"), term())])
    assert refused(labelled("p", app="x"), snapshot) == {"b1": pod_affinity.EXISTING_ANTI_AFFINITY}
    assert refused(labelled("p", app="z"), snapshot) == {}


def test_an_assumed_pod_counts_for_the_next() -> None:
    snapshot = take(NODES, [])
    first, second = (away(labelled(name, app="x"), term()) for name in ("p", "q"))
    chosen = choose(first, snapshot).node
    snapshot.assume(first, chosen)
    assert choose(second, snapshot).node not in ("", chosen)


@pytest.mark.parametrize(
    ("fields", "applies"),
    [
        ({}, False),
        ({"namespaces": ["other"]}, True),
        ({"namespaceSelector": {}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "t"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "u"}}}, False),
    ],
)
def test_namespaces(fields: Object, applies: bool) -> None:
    spaces = [{"metadata": {"name": "other", "labels": {"team": "t"}}}]
    snapshot = take(NODES, [labelled("x", "b1", namespace="other", app="x")], spaces)
    assert refused(away(labelled("p"), term(**fields)), snapshot) == (
        {"b1": pod_affinity.ANTI_AFFINITY} if applies else {}
    )


def test_label_keys_of_the_pod_itself() -> None:
    snapshot = take(NODES, [labelled("x", "a1", app="x", job="1"), labelled("y", "b1", app="x", job="2")])
    same = away(labelled("p", job="1"), term(matchLabelKeys=["job"]))
    other = away(labelled("p", job="1"), term(mismatchLabelKeys=["job"]))
    assert set(refused(same, snapshot)) == {"a1", "a2"}
    assert set(refused(other, snapshot)) == {"b1"}


def test_a_term_without_selector_is_about_nobody() -> None:
    snapshot = take(NODES, [labelled("x", "a1", app="x")])
    assert refused(away(labelled("p"), {"topologyKey": RACK}), snapshot) == {}


def test_ended_pods_are_no_neighbours() -> None:
    ended = labelled("x", "a1", app="x")
    ended["status"] = {"phase": "Succeeded"}
    assert refused(away(labelled("p"), term()), take(NODES, [ended])) == {}


def test_the_refusal_says_which_rule() -> None:
    choice = choose(near(labelled("p"), term()), take(NODES[:1], []))
    assert choice.message == "0/1 nodes are available: 1 node(s) didn't match pod affinity rules."
