"""``spec.resourceGroups`` of a ClusterQueue or a Cohort: what the validating webhooks refuse.

The CustomResourceDefinition's own rules (sizes, a flavor has as many resources as its group covers) are in the schema.
Source: pkg/webhooks/clusterqueue_webhook.go and cohort_webhook.go (Kueue v0.19).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sidings.api import quantity
from sidings.api.fields import FieldError, duplicate, invalid
from sidings.api.objects import Object

MOST_FLAVORS = 256
MOST_RESOURCES = 256
MOST_IN_GROUP = 512

NEGATIVE = "must be greater than or equal to 0"
ABOVE_NOMINAL = "must be less than or equal to the nominalQuota"
NOT_COVERED = "must match the name in coveredResources"


def errors(
    groups: Sequence[Object], path: str, *, parent: str, has_parent: bool, lends_nominal: bool
) -> Iterator[FieldError]:
    """The refusals of ``groups`` at ``path``.

    ``parent`` is the word for what lends and borrows (``cohort`` of a ClusterQueue, ``parent`` of a Cohort);
    ``lends_nominal``: nothing above the nominal quota may be lent.
    """
    limits = _Limits(parent, has_parent, lends_nominal)
    resources: set[str] = set()
    flavors: set[str] = set()
    for index, group in enumerate(groups):
        where = f"{path}[{index}]"
        for position, name in enumerate(group["coveredResources"]):
            if name in resources:
                yield duplicate(f"{where}.coveredResources[{position}]", name)
            resources.add(name)
        for position, flavor in enumerate(group["flavors"]):
            here = f"{where}.flavors[{position}]"
            yield from _quotas(flavor["resources"], group["coveredResources"], f"{here}.resources", limits)
            if flavor["name"] in flavors:
                yield duplicate(f"{here}.name", flavor["name"])
            flavors.add(flavor["name"])
    yield from _sizes(groups, path)


class _Limits:
    def __init__(self, parent: str, has_parent: bool, lends_nominal: bool) -> None:
        self.orphan = "" if has_parent else f"must be nil when {parent} is empty"
        self.lends_nominal = lends_nominal


def _quotas(quotas: Sequence[Object], covered: Sequence[str], path: str, limits: _Limits) -> Iterator[FieldError]:
    for index, (quota, name) in enumerate(zip(quotas, covered, strict=False)):
        where = f"{path}[{index}]"
        if quota["name"] != name:
            yield invalid(f"{where}.name", quota["name"], NOT_COVERED)
        yield from _not_negative(quota["nominalQuota"], f"{where}.nominalQuota")
        for limit in ("borrowingLimit", "lendingLimit"):
            if quota.get(limit) is not None:
                yield from _not_negative(quota[limit], f"{where}.{limit}")
                if limits.orphan:
                    yield invalid(f"{where}.{limit}", str(quota[limit]), limits.orphan)
        lent = quota.get("lendingLimit")
        if limits.lends_nominal and lent is not None and quantity.parse(lent) > quantity.parse(quota["nominalQuota"]):
            yield invalid(f"{where}.lendingLimit", str(lent), ABOVE_NOMINAL)


def _not_negative(amount: Any, path: str) -> Iterator[FieldError]:
    if quantity.parse(amount) < 0:
        yield invalid(path, str(amount), NEGATIVE)


def _sizes(groups: Sequence[Object], path: str) -> Iterator[FieldError]:
    flavors = sum(len(group["flavors"]) for group in groups)
    if flavors > MOST_FLAVORS:
        text = f"total number of flavors across all resourceGroups must be ≤ {MOST_FLAVORS}, got {flavors}"
        yield invalid(path, flavors, text)
    covered = sum(len(group["coveredResources"]) for group in groups)
    if covered > MOST_RESOURCES:
        text = f"total number of covered resources across all resourceGroups must be ≤ {MOST_RESOURCES}, got {covered}"
        yield invalid(path, covered, text)
    for index, group in enumerate(groups):
        pairs = len(group["flavors"]) * len(group["coveredResources"])
        if pairs > MOST_IN_GROUP:
            text = f"number of flavor-resource combinations must be ≤ {MOST_IN_GROUP}, got {pairs}"
            yield invalid(f"{path}[{index}]", pairs, text)
