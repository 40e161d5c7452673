"""Requests against the application itself, without sockets: codes, headers and texts as kube-apiserver has them."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.clock import SystemClock
from sidings.registry.registry import Registry
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.limits import BODY_BYTES
from sidings.store.log import MemoryLog
from sidings.store.store import Store

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
CONFIG_MAPS = "/api/v1/namespaces/n/configmaps"
JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/n/jobsets"


class NoPods:
    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        raise RuntimeError("a bug in the node")
        yield b""


class Answer(NamedTuple):
    code: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> str:
        return str(self.json["message"])

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")


class Api:
    """An application to send requests to."""

    def __init__(self) -> None:
        clock, rng = SystemClock(), random.Random(1)
        self.disk = MemoryLog()
        self.registry = Registry(Store.in_memory(log=self.disk), catalog.builtin(), clock, rng)
        self.app = App(
            self.registry, NoPods(), StaticTokens({"t": ADMIN}), clock, rng, checks={"node": lambda: "no node"}
        )

    async def __call__(
        self, method: str, url: str, body: Any = None, *, chunks: list[bytes] | None = None, **headers: str
    ) -> Answer:
        """``headers``: underscores become dashes. A body that is not bytes is sent as JSON."""
        path, _, query = url.partition("?")
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"host": "localhost:1", "authorization": "Bearer t", **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in sent.items() if v],
        }
        parts = chunks or [raw]
        incoming: asyncio.Queue[Object] = asyncio.Queue()
        for index, part in enumerate(parts):
            incoming.put_nowait({"type": "http.request", "body": part, "more_body": index + 1 < len(parts)})
        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, incoming.get, send)
        start, *rest = messages
        head = [(k.decode(), v.decode()) for k, v in start["headers"]]
        return Answer(start["status"], head, b"".join(message["body"] for message in rest))


@pytest.fixture
async def api() -> Api:
    made = Api()
    assert (await made("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}})).code == 201
    return made


def config_map(name: str = "a", **data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


async def test_nobody_is_anonymous(api: Api) -> None:
    for url in ("/api/v1/pods", "/api", "/version", "/openapi/v3", "/", "/nowhere"):
        for authorization in ("", "Bearer nope"):
            answer = await api("GET", url, authorization=authorization)
            assert answer.json == {
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Failure",
                "message": "Unauthorized",
                "reason": "Unauthorized",
                "code": 401,
            }
            assert answer.code == 401


async def test_health_is_open(api: Api) -> None:
    alive = await api("GET", "/livez", authorization="", host="anything")
    assert (alive.code, alive.body, alive.header("content-type")) == (200, b"ok", "text/plain; charset=utf-8")
    assert (await api("GET", "/readyz", authorization="")).code == 500


async def test_other_hosts_and_origins(api: Api) -> None:
    assert (await api("GET", "/version", host="evil.example")).code == 403
    assert (await api("GET", "/version", origin="https://evil.example")).code == 403
    assert (await api("GET", "/version/")).code == 200


async def test_what_is_not_there(api: Api) -> None:
    for url in ("/nowhere", "/apis/zz.io/v1", "/apis/zz.io/v1/things", "/openapi/v2", "/openapi/v3/apis/zz.io/v1"):
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


async def test_bodies_that_cannot_be_read(api: Api) -> None:
    answer = await api("POST", CONFIG_MAPS, b'{"a":')
    assert (answer.code, answer.message) == (
        400,
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: "
        'unexpected end of JSON input ({"a":)',
    )
    answer = await api("POST", CONFIG_MAPS, b"x", content_type="text/plain")
    assert (answer.code, answer.message) == (
        415,
        "the body of the request was in an unknown format - accepted media types include: application/json, "
        "application/yaml, application/vnd.kubernetes.protobuf",
    )
    answer = await api("POST", CONFIG_MAPS, b" " * (BODY_BYTES + 1))
    assert (answer.code, answer.message) == (413, "Request entity too large: limit is 3145728")
    answer = await api("POST", CONFIG_MAPS, chunks=[b" " * BODY_BYTES, b" "])
    assert answer.code == 413
    for path, text in (
        (f"{CONFIG_MAPS}/a", "415: Unsupported Media Type"),
        (
            f"{JOB_SETS}/a",
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        ),
    ):
        answer = await api("PATCH", path, {}, content_type="text/plain")
        assert (answer.code, answer.message) == (415, text)


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
    assert (await api("GET", "/apis/authentication.k8s.io/v1/selfsubjectreviews")).code == 404


async def test_a_bug_is_an_error_answer(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert (await api("POST", "/api/v1/namespaces/n/pods", pod)).code == 201
    node = {"target": {"kind": "Node", "name": "node-1"}}
    assert (await api("POST", "/api/v1/namespaces/n/pods/p/binding", node)).code == 201
    answer = await api("GET", "/api/v1/namespaces/n/pods/p/log")
    assert (answer.code, answer.json["reason"]) == (500, "InternalError")
    assert answer.message == "Internal error occurred: RuntimeError: a bug in the node"
    assert "a bug in the node" in caplog.text


async def test_a_full_disk_says_so_and_how_to_mend_it(api: Api) -> None:
    api.disk.room = 10
    answer = await api("POST", CONFIG_MAPS, config_map("a"))
    assert (answer.code, answer.message) == (
        500,
        "Internal error occurred: no space left in memory (mend it: raise the room)",
    )
    api.disk.room = None
    assert (await api("POST", CONFIG_MAPS, config_map("a"))).code == 201


async def test_documents(api: Api) -> None:
    assert (await api("GET", "/api", accept="application/json")).json["versions"] == ["v1"]
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    aggregated = await api("GET", "/apis", accept=accept)
    assert aggregated.header("content-type") == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    assert aggregated.json["kind"] == "APIGroupDiscoveryList"
    for path in (await api("GET", "/")).json["paths"]:
        assert (await api("GET", path)).code in (200, 500), path
    url = (await api("GET", "/openapi/v3")).json["paths"]["api/v1"]["serverRelativeURL"]
    assert (await api("GET", url)).json["openapi"] == "3.0.0"


async def test_documents_follow_the_catalog(api: Api) -> None:
    assert (await api("GET", "/apis/batch/v1")).code == 200
    api.registry.catalog = api.registry.catalog.without("batch", "jobs")
    assert (await api("GET", "/apis/batch/v1")).code == 404
    assert "apis/batch/v1" not in (await api("GET", "/openapi/v3")).json["paths"]
