"""PodGroups of both schedulers are served under their own groups."""

from sidings.api import catalog
from sidings.api.kinds import pod_group


def test_both_are_served():
    kinds = catalog.builtin()
    for kind in pod_group.KINDS:
        assert kinds.by_plural(*kind.resource[:3]) is kind
    assert {kind.resource.group for kind in pod_group.KINDS} == {"scheduling.x-k8s.io", "scheduling.volcano.sh"}
