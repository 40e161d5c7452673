"""Cases of what is refused of a JobSet, and of what is stored (``jobset/admission.yaml``), on any Kubernetes API.

``claim`` is a PersistentVolumeClaim that is there before. ``update``, ``place``, ``resize`` and ``depend`` are changes
of the stored JobSet, of which the answer counts then. Nothing that the answer is about is kept.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.resources import CLAIMS, JOB_SETS, NAMESPACES
from sidings.api.status import ApiError
from sidings.client.interface import Client
from tests.conformance.jobset_cases import Case
from tests.conformance.jobset_script import placed
from tests.conformance.jobset_state import contains


async def admit(case: Case, client: Client, namespace: str) -> list[str]:
    """What is not as expected of the answer to a JobSet, or to a change of it, in a namespace of its own."""
    data = case.data
    await client.create(NAMESPACES, {"metadata": {"name": namespace}})
    if "claim" in data:
        await client.create(CLAIMS, data["claim"], namespace=namespace)
    changes = data.keys() & {"update", "place", "resize", "depend"}
    stored: Object = {}
    answer = ""
    try:
        stored = await client.create(JOB_SETS, case.jobset, namespace=namespace, dry_run=not changes)
        if changes:
            if case.status:
                await client.patch(JOB_SETS, "js", {"status": case.status}, namespace=namespace, subresource="status")
            changed = _changed(await client.get(JOB_SETS, "js", namespace), data)
            await client.update(JOB_SETS, changed, dry_run=True)
    except ApiError as error:
        answer = error.message
    wanted = data["refused"]
    complaints = [] if (answer == "" if wanted is None else wanted in answer) else [f"{answer!r}, expected {wanted!r}"]
    if not contains(stored, data.get("stored") or {}):
        complaints.append(f"stored: {stored}, expected {data['stored']}")
    return complaints


def _changed(live: Object, data: Object) -> Object:
    made = placed(live, data.get("place") or {})
    groups = made["spec"]["replicatedJobs"]
    groups[0]["template"]["spec"] |= data.get("resize") or {}
    if "depend" in data:
        groups[-1]["dependsOn"] = [data["depend"]]
    return {**made, "spec": {**made["spec"], **(data.get("update") or {})}}
