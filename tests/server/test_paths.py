import pytest

from sidings.server.paths import GroupPath, ResourcePath, parse


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/v1", GroupPath("", "v1")),
        ("/api/v1/", GroupPath("", "v1")),
        ("/apis/batch", GroupPath("batch")),
        ("/apis/batch/v1", GroupPath("batch", "v1")),
        ("/api/v1/nodes", ResourcePath("", "v1", "nodes")),
        ("/api/v1/nodes/n/status", ResourcePath("", "v1", "nodes", "", "n", "status")),
        ("/api/v1/namespaces", ResourcePath("", "v1", "namespaces")),
        ("/api/v1/namespaces/team", ResourcePath("", "v1", "namespaces", "", "team")),
        ("/api/v1/namespaces/team/status", ResourcePath("", "v1", "namespaces", "", "team", "status")),
        ("/api/v1/namespaces/team/finalize", ResourcePath("", "v1", "namespaces", "", "team", "finalize")),
        ("/api/v1/namespaces/team/pods", ResourcePath("", "v1", "pods", "team")),
        ("/api/v1/namespaces/team/pods/p", ResourcePath("", "v1", "pods", "team", "p")),
        ("/api/v1/namespaces/team/pods/p/log", ResourcePath("", "v1", "pods", "team", "p", "log")),
        ("/apis/batch/v1/jobs", ResourcePath("batch", "v1", "jobs")),
        ("/apis/batch/v1/namespaces/team/jobs/j", ResourcePath("batch", "v1", "jobs", "team", "j")),
        (
            "/api/v1/watch/namespaces/team/configmaps/a",
            ResourcePath("", "v1", "configmaps", "team", "a", watch=True),
        ),
        ("/api/v1/namespaces/team/pods/p/log/extra", None),
        ("/api/v1/namespaces//pods", None),
        ("/api/v1/watch", None),
        ("/api", None),
        ("/apis", None),
        ("/other", None),
        ("/", None),
    ],
)
def test_parse(path: str, expected: ResourcePath | GroupPath | None) -> None:
    assert parse(path) == expected
