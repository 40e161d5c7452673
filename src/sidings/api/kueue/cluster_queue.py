"""ClusterQueue and Cohort: what the webhooks ``vclusterqueue.kb.io`` and ``vcohort.kb.io`` refuse."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import selector_rules
from sidings.api.fields import FieldError, invalid
from sidings.api.kueue import fair_sharing, resource_groups
from sidings.api.objects import Object

UNKNOWN_FLAVOR = "must be a flavor of the ClusterQueue"


def cluster_queue_errors(obj: Object) -> Iterator[FieldError]:
    spec = obj.get("spec") or {}
    groups = spec.get("resourceGroups") or []
    yield from resource_groups.errors(
        groups,
        "spec.resourceGroups",
        parent="cohort",
        has_parent=bool(spec.get("cohortName")),
        lends_nominal=True,
    )
    yield from selector_rules.errors(spec.get("namespaceSelector") or {}, "spec.namespaceSelector")
    flavors = {flavor["name"] for group in groups for flavor in group["flavors"]}
    checks = (spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or ()
    for index, check in enumerate(checks):
        for position, name in enumerate(check.get("onFlavors") or ()):
            if name not in flavors:
                path = f"spec.admissionChecksStrategy.admissionChecks[{index}].onFlavors[{position}]"
                yield invalid(path, name, UNKNOWN_FLAVOR)
    yield from fair_sharing.errors(spec)


def cohort_errors(obj: Object) -> Iterator[FieldError]:
    """A Cohort's lendingLimit may be above its own nominal quota: it lends what its members offer as well."""
    spec = obj.get("spec") or {}
    yield from resource_groups.errors(
        spec.get("resourceGroups") or [],
        "spec.resourceGroups",
        parent="parent",
        has_parent=bool(spec.get("parentName")),
        lends_nominal=False,
    )
    yield from fair_sharing.errors(spec)
