import pytest

from sidings.api.limit_range import ANNOTATION
from sidings.api.resources import LIMIT_RANGES, PODS
from sidings.api.status import Forbidden


def pod(**resources):
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}]}}


async def test_pods_get_what_they_lack_and_no_more_than_allowed(api):
    limits = [{"type": "Container", "default": {"cpu": "1"}, "max": {"cpu": "2"}}]
    await api.create(LIMIT_RANGES, {"metadata": {"name": "l"}, "spec": {"limits": limits}})
    made = await api.create(PODS, pod())
    assert made["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1"}
    assert made["metadata"]["annotations"] == {
        ANNOTATION: "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
    }
    with pytest.raises(Forbidden, match=r"maximum cpu usage per Container is 2, but limit is 3"):
        await api.create(PODS, {**pod(limits={"cpu": "3"}), "metadata": {"name": "q"}})
