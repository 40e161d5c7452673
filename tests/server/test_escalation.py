"""Nobody gives away rights that they do not have."""

import pytest

RBAC = "/apis/rbac.authorization.k8s.io/v1"
ROLES = f"{RBAC}/namespaces/n/roles"
BINDINGS = f"{RBAC}/namespaces/n/rolebindings"
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
SECRETS = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
MANAGE = {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["*"]}
REFUSED = (
    'is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], '
    'Verbs:["get"]}'
)


def role(*rules, name="r"):
    return {"metadata": {"name": name}, "rules": list(rules)}


def binding(name, kind="Role", subject="other"):
    subjects = [{"kind": "ServiceAccount", "name": subject, "namespace": "n"}]
    return {"metadata": {"name": name}, "roleRef": {"kind": kind, "name": name}, "subjects": subjects}


@pytest.fixture
async def bearer(api):
    """Of an account that manages roles of its namespace and reads its pods."""
    await api("POST", "/api/v1/namespaces/n/serviceaccounts", {"metadata": {"name": "sa"}})
    issued = await api("POST", "/api/v1/namespaces/n/serviceaccounts/sa/token", {})
    assert (await api("POST", ROLES, role({**MANAGE, "verbs": ["get", "create", "update", "patch"]}, PODS))).code == 201
    assert (await api("POST", BINDINGS, binding("r", subject="sa"))).code == 201
    return {"authorization": f"Bearer {issued.json['status']['token']}"}


async def test_a_role_of_rights_that_one_has(api, bearer):
    assert (await api("POST", ROLES, role({**PODS, "verbs": ["get"]}, name="mine"), **bearer)).code == 201


async def test_a_role_of_rights_that_one_has_not(api, bearer):
    answer = await api("POST", ROLES, role(PODS, SECRETS, name="more"), **bearer)
    assert answer.code == 403
    assert answer.message.startswith('roles.rbac.authorization.k8s.io "more" is forbidden: user "system:serviceaccount')
    assert answer.message.endswith(REFUSED)
    assert (await api("GET", f"{ROLES}/more")).code == 404


async def test_nor_by_a_patch(api, bearer):
    patch = {"rules": [SECRETS]}
    answer = await api("PATCH", f"{ROLES}/r", patch, content_type="application/merge-patch+json", **bearer)
    assert (answer.code, answer.message.endswith(REFUSED)) == (403, True)
    same = {"metadata": {"labels": {"a": "b"}}}
    answer = await api("PATCH", f"{ROLES}/r", same, content_type="application/merge-patch+json", **bearer)
    assert answer.code == 200


async def test_a_binding_of_rights_that_one_has_not(api, bearer):
    await api("POST", ROLES, role(SECRETS, name="secrets"))
    answer = await api("POST", BINDINGS, binding("secrets"), **bearer)
    assert (answer.code, answer.message.endswith(REFUSED)) == (403, True)
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    await api("POST", f"{RBAC}/clusterroles", role(everything, name="all"))
    assert (await api("POST", BINDINGS, binding("all", "ClusterRole"), **bearer)).code == 403


async def test_who_may_bind_a_role_need_not_hold_it(api, bearer):
    await api("POST", ROLES, role(SECRETS, name="secrets"))
    allowed = {**MANAGE, "resources": ["roles"], "verbs": ["bind"], "resourceNames": ["secrets"]}
    await api("POST", ROLES, role(allowed, name="binder"))
    await api("POST", BINDINGS, binding("binder", subject="sa"))
    assert (await api("POST", BINDINGS, binding("secrets"), **bearer)).code == 201
