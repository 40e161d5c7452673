"""The requests that ``oc`` sends, one by one, and what people then see."""

import sidings

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
USERS = "/apis/user.openshift.io/v1/users"
PROJECTS = "/apis/project.openshift.io/v1/projects"
REQUESTS = "/apis/project.openshift.io/v1/projectrequests"
ROUTES = "/apis/route.openshift.io/v1/namespaces/n/routes"


async def rows(api, url):
    answer = await api("GET", url, accept=TABLE)
    assert answer.code == 200, answer.body
    return [row["cells"] for row in answer.json["rows"]]


async def test_whoami(api):
    answer = await api("GET", f"{USERS}/~")
    assert (answer.code, answer.json["kind"], answer.json["metadata"]["name"]) == (200, "User", "admin")
    assert answer.json["groups"] == ["system:masters", "system:authenticated"]
    assert (await api("GET", f"{USERS}/somebody")).message == 'users.user.openshift.io "somebody" not found'


async def test_whoami_of_a_service_account(api):
    await api("POST", "/api/v1/namespaces/n/serviceaccounts", {"metadata": {"name": "sa"}})
    issued = await api("POST", "/api/v1/namespaces/n/serviceaccounts/sa/token", {})
    bearer = {"authorization": f"Bearer {issued.json['status']['token']}"}
    answer = await api("GET", f"{USERS}/~", **bearer)
    assert answer.json["metadata"]["name"] == "system:serviceaccount:n:sa"
    assert (await api("GET", PROJECTS, **bearer)).code == 403


async def test_login_lists_projects_and_looks_for_its_own(api):
    found = await api("GET", PROJECTS)
    assert found.json["kind"] == "ProjectList"
    assert [item["metadata"]["name"] for item in found.json["items"]] == ["n"]
    one = (await api("GET", f"{PROJECTS}/n")).json
    assert (one["apiVersion"], one["kind"], one["status"]) == (
        "project.openshift.io/v1",
        "Project",
        {"phase": "Active"},
    )


async def test_new_project(api):
    assert (await api("GET", REQUESTS)).json["status"] == "Success"
    wanted = {
        "kind": "ProjectRequest",
        "apiVersion": "project.openshift.io/v1",
        "metadata": {"name": "team"},
        "displayName": "The team",
        "description": "what we do",
    }
    answer = await api("POST", REQUESTS, wanted)
    assert (answer.code, answer.json["kind"]) == (201, "Project")
    namespace = (await api("GET", "/api/v1/namespaces/team")).json
    assert namespace["metadata"]["annotations"] == {
        "openshift.io/description": "what we do",
        "openshift.io/display-name": "The team",
        "openshift.io/requester": "admin",
    }
    assert await rows(api, f"{PROJECTS}/team") == [["team", "The team", "Active"]]
    again = await api("POST", REQUESTS, wanted)
    assert (again.code, again.json["reason"]) == (409, "AlreadyExists")


async def test_a_project_is_labelled_and_deleted_as_its_namespace_is(api):
    labels = {"metadata": {"labels": {"kueue.openshift.io/managed": "true"}}}
    answer = await api("PATCH", f"{PROJECTS}/n", labels, content_type="application/merge-patch+json")
    assert (answer.code, answer.json["kind"]) == (200, "Project")
    shown = (await api("GET", "/api/v1/namespaces/n")).json["metadata"]["labels"]
    assert shown["kueue.openshift.io/managed"] == "true"
    assert (await api("DELETE", f"{PROJECTS}/n")).code == 200
    assert (await api("GET", "/api/v1/namespaces/n")).json["metadata"]["deletionTimestamp"]


async def test_routes_are_stored_and_say_that_nothing_routes(api):
    route = {"metadata": {"name": "web"}, "spec": {"host": "web.example.com", "to": {"name": "web"}}}
    answer = await api("POST", ROUTES, route)
    assert answer.code == 201
    assert "nothing routes here" in answer.header(
        "warning"
    ) and "kubectl port-forward -n n service/web" in answer.header("warning")
    assert await rows(api, ROUTES) == [["web", "web.example.com", "", "web", "<all>", "", "None"]]
    refused = await api("POST", ROUTES, {"metadata": {"name": "x"}, "spec": {}})
    assert (refused.code, "spec.to.name: Required value" in refused.message) == (422, True)


async def test_version_and_operators(api):
    assert await rows(api, "/apis/config.openshift.io/v1/clusterversions") == [
        ["version", sidings.__version__, "True", "False"]
    ]
    assert await rows(api, "/apis/operators.coreos.com/v1alpha1/clusterserviceversions") == []
    assert (await api("DELETE", "/apis/config.openshift.io/v1/clusterversions/version")).code == 405


async def test_discovery_tells_of_them(api):
    groups = {group["name"] for group in (await api("GET", "/apis")).json["groups"]}
    assert {"project.openshift.io", "user.openshift.io", "route.openshift.io", "config.openshift.io"} <= groups
    listed = (await api("GET", "/apis/project.openshift.io/v1")).json["resources"]
    assert {entry["name"]: entry["verbs"] for entry in listed}["projectrequests"] == ["create", "list"]
