import pytest

from sidings.api.resources import JOB_SETS, PODS
from sidings.api.status import NotFound
from sidings.client.discovery import Discovered, all_resources, resource_for
from tests.client.conftest import Scripted
from tests.client.test_http import answer

CORE = {
    "resources": [
        {
            "name": "pods",
            "singularName": "pod",
            "kind": "Pod",
            "namespaced": True,
            "verbs": ["get"],
            "shortNames": ["po"],
        },
        {"name": "pods/log", "singularName": "", "kind": "Pod", "namespaced": True, "verbs": ["get"]},
    ]
}
GROUPS = {
    "groups": [
        {
            "name": "jobset.x-k8s.io",
            "preferredVersion": {"groupVersion": "jobset.x-k8s.io/v1alpha2", "version": "v1alpha2"},
        }
    ]
}
JOB_SET_LIST = {"resources": [{"name": "jobsets", "singularName": "jobset", "kind": "JobSet", "namespaced": True}]}
POD = Discovered(PODS, "pod", ("po",), (), ("get",))
JOB_SET = Discovered(JOB_SETS, "jobset")


async def test_a_manifest_finds_its_resource(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [answer(CORE), answer(JOB_SET_LIST)]
    assert await resource_for(client, "v1", "Pod") == PODS
    assert server.last_line == "GET /base/api/v1 HTTP/1.1"
    assert await resource_for(client, "jobset.x-k8s.io/v1alpha2", "JobSet") == JOB_SETS
    assert server.last_line == "GET /base/apis/jobset.x-k8s.io/v1alpha2 HTTP/1.1"


async def test_a_manifest_of_an_unknown_kind(scripted: Scripted) -> None:
    server, client = scripted
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 19\r\n\r\n404 page not found\n"
    server.answers = [answer(CORE), missing]
    with pytest.raises(NotFound, match='no matches for kind "Pot" in version "v1"'):
        await resource_for(client, "v1", "Pot")
    with pytest.raises(NotFound, match=r'no matches for kind "Pod" in version "zz\.io/v1"'):
        await resource_for(client, "zz.io/v1", "Pod")


async def test_all_resources(scripted: Scripted) -> None:
    server, client = scripted
    by_path = {"/base/apis": GROUPS, "/base/api/v1": CORE, "/base/apis/jobset.x-k8s.io/v1alpha2": JOB_SET_LIST}
    server.by_path = {path: answer(body) for path, body in by_path.items()}
    assert await all_resources(client) == [POD, JOB_SET]


@pytest.mark.parametrize(
    "word", ["jobsets", "jobset", "JobSet", "jobsets.jobset.x-k8s.io", "jobset.v1alpha2.jobset.x-k8s.io"]
)
def test_words_for_it(word: str) -> None:
    assert JOB_SET.answers_to(word)
    assert not POD.answers_to(word)


@pytest.mark.parametrize("word", ["po", "PODS", "pod", "pods.v1."])
def test_words_for_pods(word: str) -> None:
    assert POD.answers_to(word)


@pytest.mark.parametrize("word", ["pods.batch", "p", ""])
def test_words_for_nothing(word: str) -> None:
    assert not POD.answers_to(word)
    assert not JOB_SET.answers_to(word)
