import pytest

from sidings.api.kinds.pod_spec import default_pod_spec, validate_pod_spec


def errors(path="spec", **spec):
    """The errors of a pod spec with one good container unless ``spec`` has others."""
    spec.setdefault("containers", [{"name": "c", "image": "i"}])
    default_pod_spec(spec)
    return [str(error) for error in validate_pod_spec(spec, path)]


def test_a_good_spec_has_no_errors():
    assert errors(hostname="h", subdomain="s", serviceAccountName="default", nodeSelector={"a/b": "c"}) == []


def test_a_node_selector_is_made_of_labels():
    (error,) = errors(nodeSelector={"a": "b c"})
    assert error.startswith('spec.nodeSelector: Invalid value: "b c": a valid label must be an empty string')


def test_errors_come_in_upstream_s_order():
    bad = [
        {"name": "C_1"},
        {"name": "c", "image": "i", "imagePullPolicy": "X", "ports": [{"containerPort": 99999}]},
    ]
    fields = [text.partition(":")[0] for text in errors(containers=bad, restartPolicy="Q")]
    assert fields == [
        "spec.containers[0].name",
        "spec.containers[0].image",
        "spec.containers[1].ports[0].containerPort",
        "spec.containers[1].imagePullPolicy",
        "spec.restartPolicy",
    ]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"containers": []}, "spec.containers: Required value"),
        (
            {"restartPolicy": "Q"},
            'spec.restartPolicy: Unsupported value: "Q": supported values: "Always", "OnFailure", "Never"',
        ),
        (
            {"activeDeadlineSeconds": 0},
            "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
        ),
        (
            {"terminationGracePeriodSeconds": -1},
            "spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0",
        ),
        ({"imagePullSecrets": [{"name": ""}]}, "spec.imagePullSecrets[0].name: Required value"),
    ],
)
def test_rules_of_the_whole(spec, text):
    assert errors(**spec) == [text]


def test_paths_start_where_the_spec_lies():
    assert errors("spec.template.spec", containers=[]) == ["spec.template.spec.containers: Required value"]
    assert errors(hostname="A_b")[0].startswith('spec.hostname: Invalid value: "A_b": a lowercase RFC 1123 label')


def test_names_of_hosts_file():
    aliases = [{"ip": "10.0.0.1", "hostnames": ["a.b"]}, {"ip": "here", "hostnames": ["A"]}]
    first, second = errors(hostAliases=aliases)
    assert first.startswith('spec.hostAliases[1].ip: Invalid value: "here": must be a valid IP address')
    assert second.startswith('spec.hostAliases[1].hostnames: Invalid value: "A": a lowercase RFC 1123 subdomain')
