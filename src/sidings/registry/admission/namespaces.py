"""Objects live in namespaces that exist and are not being deleted (upstream's plug-in NamespaceLifecycle, v1.36)."""

from __future__ import annotations

from sidings.api.objects import is_deleting
from sidings.api.resources import NAMESPACES
from sidings.api.status import Cause, Forbidden
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request

IMMORTAL = frozenset({"default", "kube-system", "kube-public"})
TERMINATING = "NamespaceTerminating"


class NamespaceLifecycle(Plugin):
    def admit(self, request: Request, reader: Reader) -> None:
        resource = request.kind.resource
        if request.concerns(NAMESPACES, Operation.DELETE) and request.name in IMMORTAL:
            raise Forbidden(
                f'namespaces "{request.name}" is forbidden: this namespace may not be deleted',
                name=request.name,
                kind=resource.plural,
            )
        if request.operation is not Operation.CREATE or not resource.namespaced:
            return
        namespace = reader.get(NAMESPACES, request.namespace)
        if is_deleting(namespace):
            raise Forbidden(
                f'{resource.group_resource} "{request.name}" is forbidden: unable to create new content in namespace '
                f"{request.namespace} because it is being terminated",
                name=request.name,
                group=resource.group,
                kind=resource.plural,
                causes=[Cause(TERMINATING, f"namespace {request.namespace} is being terminated", "metadata.namespace")],
            )
