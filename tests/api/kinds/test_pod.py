import pytest

from sidings.api.kinds.pod import KIND
from sidings.api.objects import copy_of

RULES = KIND.rules


def created(**spec):
    """A pod as it is after creation."""
    pod = {
        "metadata": {"name": "p", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"containers": [{"name": "c", "image": "busybox"}], **spec},
    }
    RULES.default(pod)
    RULES.default_on_create(pod)
    return pod


def test_a_minimal_pod_gets_what_upstream_gives_it():
    pod = created()
    assert pod["spec"] == {
        "containers": [
            {
                "name": "c",
                "image": "busybox",
                "imagePullPolicy": "Always",
                "resources": {},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    }
    assert pod["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert RULES.validate(pod) == []


def test_limits_become_requests():
    limits = {"cpu": "2", "nvidia.com/gpu": "1"}
    pod = created(containers=[{"name": "c", "image": "i", "resources": {"limits": limits, "requests": {"cpu": "1"}}}])
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1", "nvidia.com/gpu": "1"}
    assert pod["status"]["qosClass"] == "Burstable"


def test_a_gated_pod_says_that_it_waits():
    (condition,) = created(schedulingGates=[{"name": "kueue.x-k8s.io/admission"}])["status"]["conditions"]
    assert condition["reason"] == "SchedulingGated"


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (lambda spec: spec["containers"][0].update(image="other"), []),
        (lambda spec: spec.update(activeDeadlineSeconds=5), []),
        (lambda spec: spec.update(tolerations=[{"key": "a", "operator": "Exists"}]), []),
        (lambda spec: spec.update(nodeSelector={"a": "b"}), ["spec"]),
        (lambda spec: spec["containers"][0].update(command=["x"]), ["spec"]),
        (lambda spec: spec["containers"].append({"name": "d", "image": "i"}), ["spec"]),
        (lambda spec: spec.update(schedulingGates=[{"name": "a/b"}]), ["spec.schedulingGates[0]"]),
    ],
)
def test_what_may_change(change, fields):
    old = created()
    new = copy_of(old)
    change(new["spec"])
    assert [error.field for error in RULES.validate_update(new, old)] == fields


def test_tolerations_may_be_added_but_not_taken_away():
    old = created(tolerations=[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1}])
    new = copy_of(old)
    new["spec"]["tolerations"][0]["tolerationSeconds"] = 5
    assert RULES.validate_update(new, old) == []
    new["spec"]["tolerations"] = []
    assert [error.field for error in RULES.validate_update(new, old)] == ["spec.tolerations"]


def test_a_gate_may_go_and_while_it_holds_the_node_selector_may_change():
    old = created(schedulingGates=[{"name": "a/b"}])
    new = copy_of(old)
    new["spec"]["nodeSelector"] = {"zone": "a"}
    new["spec"]["schedulingGates"] = []
    assert RULES.validate_update(new, old) == []


@pytest.mark.parametrize(
    ("node", "phase", "requested", "expected"),
    [
        ("n", "Running", None, 30),
        ("n", "Running", 5, 5),
        ("n", "Running", 0, 0),
        ("n", "Running", -1, 1),
        ("", "Pending", None, 0),
        ("n", "Succeeded", 60, 0),
    ],
)
def test_grace_period(node, phase, requested, expected):
    pod = created(nodeName=node)
    pod["status"]["phase"] = phase
    assert RULES.grace_period(pod, requested) == expected


def test_an_update_does_not_touch_the_status():
    old = created()
    new = copy_of(old)
    new["status"] = {"phase": "Running"}
    RULES.prepare_for_update(new, old)
    assert new["status"] == old["status"]


def test_what_a_new_pod_cannot_have_yet():
    spec = {"nodeName": "n", "schedulingGates": [{"name": "a"}], "ephemeralContainers": [{"name": "e"}]}
    assert [str(error) for error in KIND.rules.validate_create({"spec": spec})] == [
        "spec.ephemeralContainers: Forbidden: cannot be set on create",
        "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
    ]
