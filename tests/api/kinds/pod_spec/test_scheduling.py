import pytest

from sidings.api.kinds.pod_spec import scheduling


@pytest.mark.parametrize(
    ("toleration", "texts"),
    [
        ({"key": "a/b", "operator": "Exists"}, []),
        ({"operator": "Exists"}, []),
        ({"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 1}, []),
        (
            {"value": "b"},
            [
                't[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all '
                'values and all keys"'
            ],
        ),
        (
            {"key": "a", "operator": "Exists", "value": "b"},
            ["t[0].operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'"],
        ),
        (
            {"key": "a", "tolerationSeconds": 1},
            ["t[0].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set"],
        ),
        (
            {"key": "a", "effect": "Never"},
            [
                't[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", '
                '"NoExecute"'
            ],
        ),
    ],
)
def test_tolerations(toleration, texts):
    assert [str(error) for error in scheduling.validate_tolerations([toleration], "t")] == texts


def hard(**term):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ({"key": "a", "operator": "In", "values": ["b"]}, None),
        (
            {"key": "a", "operator": "In"},
            "values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["b"]},
            "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        ({"key": "a", "operator": "Is"}, 'operator: Invalid value: "Is": not a valid selector operator'),
    ],
)
def test_node_affinity(expression, text):
    path = "a.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]"
    found = [str(error) for error in scheduling.validate_affinity(hard(matchExpressions=[expression]), "a")]
    assert found == ([f"{path}.{text}"] if text else [])


def test_node_affinity_needs_terms_and_weights():
    none = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}
    (error,) = scheduling.validate_affinity(none, "a")
    assert error.text == "Required value: must have at least one node selector term"
    light = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 0, "preference": {}}]}}
    (error,) = scheduling.validate_affinity(light, "a")
    assert error.text == "Invalid value: 0: must be in the range 1-100"


def test_gates():
    errors = scheduling.validate_gates([{"name": "a/b"}, {"name": "a/b"}], "g")
    assert [str(error) for error in errors] == ['g[1]: Duplicate value: "a/b"']


def test_pod_affinity_has_a_topology_and_good_selectors():
    term = {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}
    soft = [{"weight": 0, "podAffinityTerm": {"topologyKey": "zone"}}]
    affinity = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [term],
            "preferredDuringSchedulingIgnoredDuringExecution": soft,
        }
    }
    hard = "s.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
    assert [str(error) for error in scheduling.validate_affinity(affinity, "s")] == [
        f"{hard}.labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' "
        "or 'NotIn'",
        f"{hard}.topologyKey: Required value: can not be empty",
        "s.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the "
        "range 1-100",
    ]


def test_spread():
    good = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    assert scheduling.validate_spread([good], "s") == []
    assert [str(error) for error in scheduling.validate_spread([good, good, {"whenUnsatisfiable": "Maybe"}], "s")] == [
        's[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
        "s[2].maxSkew: Invalid value: 0: must be greater than zero",
        "s[2].topologyKey: Required value: can not be empty",
        's[2].whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ]
