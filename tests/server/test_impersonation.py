"""``kubectl --as``: one request as somebody else, for whoever may."""

WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
ROLES = "/apis/rbac.authorization.k8s.io/v1"


async def who(api, *headers, **named):
    answer = await api("POST", WHO, {"kind": "SelfSubjectReview"}, raw=headers, **named)
    return answer.json["status"]["userInfo"] if answer.code == 201 else (answer.code, answer.message)


async def test_the_administrator_may_be_anybody(api):
    assert await who(api, impersonate_user="ann") == {"username": "ann", "uid": "", "groups": ["system:authenticated"]}
    told = await who(
        api,
        (b"impersonate-group", b"a"),
        (b"impersonate-group", b"b"),
        impersonate_user="ann",
        impersonate_uid="7",
        impersonate_extra_team="x",
    )
    assert told == {
        "username": "ann",
        "uid": "7",
        "groups": ["a", "b", "system:authenticated"],
        "extra": {"team": ["x"]},
    }


async def test_a_service_account_has_its_groups(api):
    told = await who(api, impersonate_user="system:serviceaccount:n:sa")
    assert told["groups"] == ["system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"]


async def test_rights_are_those_of_the_other(api):
    answer = await api("GET", "/api/v1/namespaces/n/pods", impersonate_user="ann")
    assert (answer.code, answer.message) == (
        403,
        'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "n"',
    )


async def test_nobody_else_may_without_a_role(api):
    await api("POST", "/api/v1/namespaces/n/serviceaccounts", {"metadata": {"name": "sa"}})
    issued = await api("POST", "/api/v1/namespaces/n/serviceaccounts/sa/token", {})
    bearer = {"authorization": f"Bearer {issued.json['status']['token']}"}
    assert await who(api, impersonate_user="ann", **bearer) == (
        403,
        'users "ann" is forbidden: User "system:serviceaccount:n:sa" cannot impersonate resource "users" in API group '
        '"" at the cluster scope',
    )
    rules = [{"verbs": ["impersonate"], "apiGroups": [""], "resources": ["users"], "resourceNames": ["ann"]}]
    await api("POST", f"{ROLES}/clusterroles", {"metadata": {"name": "r"}, "rules": rules})
    subjects = [{"kind": "ServiceAccount", "name": "sa", "namespace": "n"}]
    binding = {"metadata": {"name": "r"}, "roleRef": {"kind": "ClusterRole", "name": "r"}, "subjects": subjects}
    assert (await api("POST", f"{ROLES}/clusterrolebindings", binding)).code == 201
    assert (await who(api, impersonate_user="ann", **bearer))["username"] == "ann"
    code, _ = await who(api, (b"impersonate-group", b"system:masters"), impersonate_user="ann", **bearer)
    assert code == 403


async def test_groups_of_nobody(api):
    code, message = await who(api, (b"impersonate-group", b"a"))
    assert (code, message) == (500, "Internal error occurred: requested [groups: ['a']] without impersonating a user")
