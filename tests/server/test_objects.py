"""The verbs over HTTP: codes, headers and texts as kube-apiserver has them. No sockets."""

import asyncio
import json

from tests.server.conftest import CONFIG_MAPS, JOB_SETS, Api, config_map

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


async def test_what_is_not_there(api: Api) -> None:
    for url in ("/nowhere", "/apis/zz.io/v1", "/apis/zz.io/v1/things", "/openapi/v3/apis/zz.io/v1"):
        answer = await api("GET", url)
        assert (answer.code, answer.body) == (404, b"404 page not found\n"), url
        assert answer.header("content-type") == "text/plain; charset=utf-8"
    for url in (
        "/apis/batch/v9/jobs",
        "/api/v1/foos",
        "/api/v1/namespaces/n/nodes",
        "/api/v1/pods/p",
        f"{CONFIG_MAPS}/a/status",
        "/apis/batch/v1/namespaces/n/jobs/a/scale",
    ):
        answer = await api("GET", url)
        assert (answer.code, answer.message) == (404, "the server could not find the requested resource"), url
    answer = await api("GET", f"{JOB_SETS}/js/scale")
    assert answer.message == 'jobsets.jobset.x-k8s.io "js" not found'


async def test_methods_that_are_not_allowed(api: Api) -> None:
    for method, url in (("PUT", CONFIG_MAPS), ("DELETE", "/api/v1/namespaces"), ("POST", f"{CONFIG_MAPS}/a")):
        answer = await api(method, url, config_map())
        assert answer.code == 405
        assert answer.message == "the server does not allow this method on the requested resource"
    answer = await api("DELETE", f"{JOB_SETS}/a/status")
    assert answer.message == 'delete is not supported on resources of kind "jobsets.jobset.x-k8s.io"'
    assert answer.json["details"] == {"group": "jobset.x-k8s.io", "kind": "jobsets"}


async def test_forms_that_cannot_be_had(api: Api) -> None:
    answer = await api("GET", CONFIG_MAPS, accept="text/html")
    assert (answer.code, answer.json["reason"]) == (406, "NotAcceptable")


async def test_every_encoding_of_a_body(api: Api) -> None:
    for index, (raw, content_type) in enumerate(
        [
            (json.dumps(config_map("b0")).encode(), ""),
            (json.dumps(config_map("b1")).encode(), "application/json; charset=utf-8"),
            (b"kind: ConfigMap\nmetadata: {name: b2}\n", "application/yaml"),
        ]
    ):
        answer = await api("POST", CONFIG_MAPS, raw, content_type=content_type)
        assert (answer.code, answer.json["metadata"]["name"]) == (201, f"b{index}")
    parts = [b'{"metadata":', b'{"name":"b3"}}']
    assert (await api("POST", CONFIG_MAPS, chunks=parts)).code == 201


async def test_fields_given_twice(api: Api) -> None:
    raw = b'{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}'
    strict = await api("POST", f"{CONFIG_MAPS}?fieldValidation=Strict&dryRun=All", raw)
    assert (strict.code, strict.message) == (
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
    )
    warned = await api("POST", f"{CONFIG_MAPS}?dryRun=All", raw)
    assert (warned.code, warned.json["data"]) == (201, {"a": "2"})
    assert warned.header("warning") == '299 - "duplicate field \\"data.a\\""'
    ignored = await api("POST", f"{CONFIG_MAPS}?fieldValidation=Ignore&dryRun=All", raw)
    assert ignored.header("warning") == ""


async def test_an_object_and_a_list(api: Api) -> None:
    created = await api("POST", CONFIG_MAPS, config_map("a", k="v"), user_agent="curl/8")
    assert created.code == 201
    assert created.json["metadata"]["managedFields"][0]["manager"] == "curl"
    got = await api("GET", f"{CONFIG_MAPS}/a")
    assert got.json == created.json
    assert got.header("content-type") == "application/json"
    listed = await api("GET", CONFIG_MAPS)
    assert (listed.json["kind"], listed.json["apiVersion"]) == ("ConfigMapList", "v1")
    assert [item["metadata"]["name"] for item in listed.json["items"]] == ["a"]
    assert set(listed.json["items"][0]) == {"metadata", "data"}
    empty = await api("GET", "/api/v1/namespaces/nope/pods")
    assert (empty.code, empty.json["items"]) == (200, [])
    yaml = await api("GET", f"{CONFIG_MAPS}/a", accept="application/yaml")
    assert yaml.header("content-type") == "application/yaml"
    assert yaml.body.startswith(b"apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\n")


async def test_pages(api: Api) -> None:
    for name in "abc":
        await api("POST", CONFIG_MAPS, config_map(name))
    first = (await api("GET", f"{CONFIG_MAPS}?limit=2")).json
    assert first["metadata"]["remainingItemCount"] == 1
    second = (await api("GET", f"{CONFIG_MAPS}?limit=2&continue={first['metadata']['continue']}")).json
    assert [item["metadata"]["name"] for item in second["items"]] == ["c"]
    assert "continue" not in second["metadata"]


async def test_metadata_only(api: Api) -> None:
    await api("POST", CONFIG_MAPS, config_map("a"))
    one = (await api("GET", f"{CONFIG_MAPS}/a", accept=PARTIAL)).json
    assert (one["kind"], one["apiVersion"], set(one)) == (
        "PartialObjectMetadata",
        "meta.k8s.io/v1",
        {"kind", "apiVersion", "metadata"},
    )
    listed = (await api("GET", CONFIG_MAPS, accept=PARTIAL_LIST)).json
    assert (listed["kind"], listed["items"][0]["kind"]) == ("PartialObjectMetadataList", "PartialObjectMetadata")


async def test_tables(api: Api) -> None:
    await api("POST", CONFIG_MAPS, config_map("a", k="v"))
    for url in (CONFIG_MAPS, f"{CONFIG_MAPS}/a"):
        table = (await api("GET", url, accept=TABLE)).json
        assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
        assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Data", "Age"]
        (row,) = table["rows"]
        assert row["cells"][:2] == ["a", 1]
        assert row["object"]["kind"] == "PartialObjectMetadata"
        assert int(table["metadata"]["resourceVersion"]) > 0
    full = (await api("GET", f"{CONFIG_MAPS}?includeObject=Object", accept=TABLE)).json
    assert full["rows"][0]["object"]["data"] == {"k": "v"}
    none = (await api("GET", f"{CONFIG_MAPS}?includeObject=None", accept=TABLE)).json
    assert none["rows"][0]["object"] is None
    bad = await api("GET", f"{CONFIG_MAPS}?includeObject=Zz", accept=TABLE)
    assert (bad.code, bad.message) == (
        400,
        'Unable to convert to Table as requested: includeObject: Invalid value: "Zz": must be '
        "'Metadata', 'Object', 'None', or empty",
    )


async def test_delete_options_in_body_and_query(api: Api) -> None:
    await api("POST", CONFIG_MAPS, config_map("a"))
    dry = await api("DELETE", f"{CONFIG_MAPS}/a?dryRun=All")
    assert dry.code == 200
    assert (await api("GET", f"{CONFIG_MAPS}/a")).code == 200
    wrong = await api("DELETE", f"{CONFIG_MAPS}/a", {"preconditions": {"uid": "other"}})
    assert wrong.code == 409
    gone = await api("DELETE", f"{CONFIG_MAPS}/a?dryRun=All", {"kind": "DeleteOptions", "apiVersion": "v1"})
    assert gone.json["status"] == "Success", "with a body the query means nothing"
    assert (await api("GET", f"{CONFIG_MAPS}/a")).code == 404


async def test_delete_collection(api: Api) -> None:
    for name in "ab":
        await api("POST", CONFIG_MAPS, {**config_map(name), "metadata": {"name": name, "labels": {"l": name}}})
    deleted = await api("DELETE", f"{CONFIG_MAPS}?labelSelector=l%3Da")
    assert (deleted.code, deleted.json["kind"]) == (200, "ConfigMapList")
    assert [i["metadata"]["name"] for i in (await api("GET", CONFIG_MAPS)).json["items"]] == ["b"]


async def test_a_watch(api: Api) -> None:
    await api("POST", CONFIG_MAPS, config_map("a"))
    version = (await api("GET", CONFIG_MAPS)).json["metadata"]["resourceVersion"]

    async def change() -> None:
        await api("POST", CONFIG_MAPS, config_map("b"))
        await api("DELETE", f"{CONFIG_MAPS}/b")

    answer, _ = await asyncio.gather(
        api("GET", f"{CONFIG_MAPS}?watch=true&resourceVersion={version}&timeoutSeconds=1"), change()
    )
    events = [json.loads(line) for line in answer.body.splitlines()]
    assert [(event["type"], event["object"]["metadata"]["name"]) for event in events] == [
        ("ADDED", "b"),
        ("DELETED", "b"),
    ]


async def test_a_watch_in_tables(api: Api) -> None:
    for name in "ab":
        await api("POST", CONFIG_MAPS, config_map(name))
    watch_list = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1"
    url = f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1&{watch_list}"
    first, second, bookmark = [
        json.loads(line)["object"] for line in (await api("GET", url, accept=TABLE)).body.splitlines()
    ][:3]
    assert first["columnDefinitions"][0]["name"] == "Name"
    assert second["columnDefinitions"] is None
    assert [row["cells"][0] for row in first["rows"] + second["rows"]] == ["a", "b"]
    assert bookmark["rows"] == []


async def test_a_watch_that_cannot_begin(api: Api) -> None:
    answer = await api("GET", f"{CONFIG_MAPS}?watch=1&sendInitialEvents=true")
    assert (answer.code, answer.message) == (
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting '
        "resourceVersionMatch to NotOlderThan",
    )


async def test_the_old_watch_path(api: Api) -> None:
    for name in "ab":
        await api("POST", CONFIG_MAPS, config_map(name))
    answer = await api("GET", "/api/v1/watch/namespaces/n/configmaps/a?timeoutSeconds=1")
    assert [json.loads(line)["object"]["metadata"]["name"] for line in answer.body.splitlines()] == ["a"]


async def test_reviews(api: Api) -> None:
    spec = {"resourceAttributes": {"verb": "get", "resource": "pods"}}
    answer = await api("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": spec})
    assert (answer.code, answer.json) == (
        201,
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "metadata": {},
            "spec": spec,
            "status": {"allowed": True},
        },
    )
    who = await api("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    assert who.json["status"]["userInfo"]["username"] == "admin"
    assert (await api("GET", "/apis/authentication.k8s.io/v1/selfsubjectreviews")).code == 405
