import pytest

from sidings.api.resources import PODS, RESOURCE_QUOTAS
from sidings.api.status import Forbidden

QUOTA = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}}


def pod(name):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


async def test_one_more_than_allowed_is_refused(api):
    await api.create(RESOURCE_QUOTAS, QUOTA)
    first = await api.create(PODS, pod("a"))
    with pytest.raises(Forbidden) as refused:
        await api.create(PODS, pod("b"))
    assert refused.value.message == (
        'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
    )
    await api.update(PODS, {**first, "status": {**first["status"], "phase": "Succeeded"}}, subresource="status")
    await api.create(PODS, pod("b"))
