"""The whole stack as somebody who is not root: the same sandboxes, out of user namespaces."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.machine import POC, Machine, manifest, pod
from tests.e2e.ordinary_user import ordinary_user
from tests.e2e.test_all_reduce import sums

pytestmark = pytest.mark.e2e


@pytest.fixture
def user() -> Iterator[Machine]:
    with ordinary_user() as it:
        yield it


def test_training_without_root(user: Machine) -> None:
    user.ok("up", "--nodes", "2", "--gpus-per-node", "1", "--simulate-gpus")
    assert Path(f"/proc/{user.engine_pid()}").stat().st_uid != 0
    for node in user.objects("nodes"):
        assert "FullNamespaces" in [condition.get("reason") for condition in node["status"]["conditions"]]

    user.apply(manifest("trainjob"))
    user.wait_for_condition("Complete", "trainjob/pytorch-trainer-validation", "-n", POC)
    assert sums(user, "pytorch-trainer-validation") == [(0, 2, 1.0), (1, 2, 1.0)]

    user.apply(pod("curious", f"hostname; id -u; cat {user.home}/kubeconfig 2>/dev/null || echo hidden"))
    user.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/curious", "--timeout=180s")
    assert user.kubectl("logs", "curious") == "curious\n0\nhidden\n"
    user.ok("down")
    assert user.leftovers() == []
