import pytest

from sidings.api.jobset import names
from tests.api.jobset.jobsets import group, jobset


@pytest.mark.parametrize(
    ("namespace", "job", "key"),
    [
        ("default", "js-rjob-0", "594cb5c93756409379daf5f78db3fa5c78663cd1"),
        ("default", "test-js-replicated-job-a-0", "7b5f6b3e4003e1164d82a1d6fa5ed93212cd3c7f"),
    ],
)
def test_job_key(namespace: str, job: str, key: str) -> None:
    assert names.job_key(namespace, job) == key


def test_subdomain() -> None:
    assert names.subdomain(jobset()) == "js"
    assert names.subdomain(jobset(network={"subdomain": "net"})) == "net"


def test_coordinator_endpoint() -> None:
    coordinator = {"replicatedJob": "a", "jobIndex": 2, "podIndex": 1}
    assert names.coordinator_endpoint(jobset(coordinator=coordinator)) == "js-a-2-1.js"
    only_name = jobset(coordinator={"replicatedJob": "a"}, network={"subdomain": "net"})
    assert names.coordinator_endpoint(only_name) == "js-a-0-0.net"


def test_mounts_of_init_containers_count() -> None:
    assert names.mounts(group(mounts=("data",)), "data")
    init = [{"name": "init", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]
    assert names.mounts(group(pod={"initContainers": init}), "data")
    assert not names.mounts(group(), "data")
