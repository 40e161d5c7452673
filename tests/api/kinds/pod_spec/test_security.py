import pytest

from sidings.api.kinds.pod_spec import security

ID_RULE = "must be between 0 and 2147483647, inclusive"


@pytest.mark.parametrize(
    ("context", "complaint"),
    [
        (
            {
                "runAsUser": 1000,
                "fsGroup": 0,
                "supplementalGroups": [7],
                "sysctls": [{"name": "net.a_b/c", "value": "1"}],
            },
            None,
        ),
        ({"runAsUser": -1}, f"spec.securityContext.runAsUser: Invalid value: -1: {ID_RULE}"),
        ({"fsGroup": 2**31}, f"spec.securityContext.fsGroup: Invalid value: 2147483648: {ID_RULE}"),
        ({"supplementalGroups": [1, -2]}, f"spec.securityContext.supplementalGroups[1]: Invalid value: -2: {ID_RULE}"),
        ({"sysctls": [{"value": "1"}]}, "spec.securityContext.sysctls[0].name: Required value"),
        ({"sysctls": [{"name": "a"}, {"name": "a"}]}, 'spec.securityContext.sysctls[1].name: Duplicate value: "a"'),
        (
            {"fsGroupChangePolicy": "Often"},
            'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Often": supported values: "Alw',
        ),
        (
            {"seccompProfile": {"type": "Localhost"}},
            "spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when secco",
        ),
        (
            {"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "x"}},
            'spec.securityContext.seccompProfile.localhostProfile: Invalid value: "x": can only be set wh',
        ),
    ],
)
def test_of_a_pod(context, complaint):
    found = [str(error) for error in security.validate_pod({"securityContext": context}, "spec")]
    assert [text.startswith(complaint) for text in found] == ([True] if complaint else [])


def test_whose_processes_are_seen():
    (error,) = security.validate_pod({"hostPID": True, "shareProcessNamespace": True}, "spec")
    assert str(error).endswith("ShareProcessNamespace and HostPID cannot both be enabled")


@pytest.mark.parametrize(
    ("context", "complaint"),
    [
        ({"runAsGroup": 5, "procMount": "Default", "allowPrivilegeEscalation": False}, ""),
        (
            {"procMount": "All"},
            'c.securityContext.procMount: Unsupported value: "All": supported values: "Default", "Unmaske',
        ),
        (
            {"privileged": True, "allowPrivilegeEscalation": False},
            "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
        ),
        (
            {"capabilities": {"add": ["CAP_SYS_ADMIN"]}, "allowPrivilegeEscalation": False},
            "to false and `capabilities.Add` CAP_SYS_ADMIN",
        ),
    ],
)
def test_of_a_container(context, complaint):
    found = [str(error) for error in security.validate_container({"securityContext": context}, "c")]
    assert [complaint in text for text in found] == ([True] if complaint else [])
