"""Tokens of service accounts, and what their holders may do."""

import base64
import json

import pytest

SA = "/api/v1/namespaces/n/serviceaccounts"
PODS = "/api/v1/namespaces/n/pods"
RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/n"
READER = {
    "metadata": {"name": "reader"},
    "rules": [{"verbs": ["list", "watch"], "apiGroups": [""], "resources": ["pods"]}],
}
BINDING = {
    "metadata": {"name": "reader"},
    "roleRef": {"kind": "Role", "name": "reader"},
    "subjects": [{"kind": "ServiceAccount", "name": "sa"}],
}


@pytest.fixture
async def token(api):
    assert (await api("POST", SA, {"metadata": {"name": "sa"}})).code == 201
    return await issued(api)


async def issued(api, **spec):
    answer = await api("POST", f"{SA}/sa/token", {"spec": spec})
    assert answer.code == 201, answer.body
    return answer.json["status"]["token"]


def bearer(token):
    return {"authorization": f"Bearer {token}"}


async def test_a_token_tells_who_holds_it(api, token):
    review = await api(
        "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {"kind": "SelfSubjectReview"}, **bearer(token)
    )
    user = review.json["status"]["userInfo"]
    assert user["username"] == "system:serviceaccount:n:sa"
    assert user["groups"] == ["system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"]


async def test_without_a_role_a_token_opens_discovery_alone(api, token):
    assert (await api("GET", "/apis", **bearer(token))).code == 200
    refused = await api("GET", PODS, **bearer(token))
    assert (refused.code, refused.message) == (
        403,
        'pods is forbidden: User "system:serviceaccount:n:sa" cannot list resource "pods" in API group "" in the '
        'namespace "n"',
    )
    assert (await api("GET", "/metrics", **bearer(token))).code == 403


async def test_a_role_opens_what_it_names(api, token):
    assert (await api("POST", f"{RBAC}/roles", READER)).code == 201
    assert (await api("POST", f"{RBAC}/rolebindings", BINDING)).code == 201
    assert (await api("GET", PODS, **bearer(token))).code == 200
    assert (await api("GET", f"{PODS}/a", **bearer(token))).code == 403
    assert (await api("POST", PODS, {}, **bearer(token))).code == 403
    assert (await api("GET", "/api/v1/pods", **bearer(token))).code == 403
    for verb, allowed in (("list", True), ("delete", False)):
        attributes = {"verb": verb, "resource": "pods", "namespace": "n"}
        review = await api(
            "POST",
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            {"kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes}},
            **bearer(token),
        )
        assert review.json["status"] == {"allowed": allowed}


async def test_a_token_ends_with_its_account(api, token):
    await api("DELETE", f"{SA}/sa")
    assert (await api("GET", "/apis", **bearer(token))).code == 401
    await api("POST", SA, {"metadata": {"name": "sa"}})
    assert (await api("GET", "/apis", **bearer(token))).code == 401


async def test_a_bound_token_ends_with_its_pod(api, token):
    await api("POST", PODS, {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    bound = await issued(api, boundObjectRef={"kind": "Pod", "apiVersion": "v1", "name": "p"})
    assert (await api("GET", "/apis", **bearer(bound))).code == 200
    await api("DELETE", f"{PODS}/p")
    assert (await api("GET", "/apis", **bearer(bound))).code == 401


async def test_a_token_for_others_is_not_for_us(api, token):
    assert (await api("GET", "/apis", **bearer(await issued(api, audiences=["vault"])))).code == 401


async def test_a_forged_token_is_worth_nothing(api, token):
    head, body, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    claims["sub"] = "system:serviceaccount:kube-system:admin"
    forged = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    for wrong in (f"{head}.{forged}.{signature}", f"{head}.{body}.", f"{head}.{body}", "a.b.c"):
        assert (await api("GET", "/apis", **bearer(wrong))).code == 401


async def test_short_lives_are_refused(api, token):
    answer = await api("POST", f"{SA}/sa/token", {"spec": {"expirationSeconds": 10}})
    assert answer.code == 422
    assert "may not specify a duration less than 10 minutes" in answer.message


async def test_a_token_of_nobody(api):
    answer = await api("POST", f"{SA}/zz/token", {})
    assert (answer.code, answer.message) == (404, 'serviceaccounts "zz" not found')


async def test_a_token_tells_what_it_is_bound_to(api, token):
    await api("POST", "/api/v1/nodes", {"metadata": {"name": "node-1"}})
    pod = {"metadata": {"name": "p"}, "spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "i"}]}}
    await api("POST", PODS, pod)
    bound = await issued(api, boundObjectRef={"kind": "Pod", "apiVersion": "v1", "name": "p"})
    who = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    extra = (await api("POST", who, {}, **bearer(bound))).json["status"]["userInfo"]["extra"]
    assert extra["authentication.kubernetes.io/pod-name"] == ["p"]
    assert extra["authentication.kubernetes.io/node-name"] == ["node-1"]
    assert extra["authentication.kubernetes.io/credential-id"][0].startswith("JTI=")


async def test_a_review_tells_whose_a_token_is(api, token):
    reviews = "/apis/authentication.k8s.io/v1/tokenreviews"
    vault = await issued(api, audiences=["vault"])
    for spec, valid in (
        ({"token": token}, True),
        ({"token": vault}, False),
        ({"token": vault, "audiences": ["vault", "x"]}, True),
        ({"token": "a.b.c"}, False),
    ):
        status = (await api("POST", reviews, {"spec": spec})).json["status"]
        assert status.get("authenticated", False) is valid, spec
        assert status.get("audiences") == (
            None if not valid else spec.get("audiences", ["https://kubernetes.default.svc"])[:1]
        )
    assert (await api("POST", reviews, {"spec": {"token": token}}, **bearer(token))).code == 403
