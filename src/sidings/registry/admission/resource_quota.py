"""ResourceQuota: what does not fit is refused.

Upstream keeps the sum in the quota's status and races for it; here objects are memory and admission is synchronous, so
the sum is made afresh of what is stored and is never stale.
"""

from __future__ import annotations

from sidings.api import quota
from sidings.api.resources import RESOURCE_QUOTAS, Resource
from sidings.api.status import Forbidden
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request


class ResourceQuota(Plugin):
    """Looks at what is made in namespaces that have a quota."""

    def validate(self, request: Request, reader: Reader) -> None:
        resource = request.kind.resource
        if request.operation is not Operation.CREATE or request.subresource or not resource.namespaced:
            return
        for each in reader.list(RESOURCE_QUOTAS, request.namespace):
            if not quota.hard_of(each).keys() & quota.usage(resource, request.new).keys():
                continue
            before = quota.used(each, [(resource, obj) for obj in reader.list(resource, request.namespace)])
            if complaint := quota.complaint(each, resource, request.new, before):
                raise _refused(request, resource, complaint)


def _refused(request: Request, resource: Resource, complaint: str) -> Forbidden:
    return Forbidden(
        f'{resource.group_resource} "{request.name}" is forbidden: {complaint}',
        name=request.name,
        group=resource.group,
        kind=resource.plural,
    )
