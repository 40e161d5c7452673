"""LimitRanger: what a namespace gives to containers that ask for nothing, and what it allows at all."""

from __future__ import annotations

from sidings.api import limit_range
from sidings.api.resources import CLAIMS, LIMIT_RANGES, PODS
from sidings.api.status import Forbidden
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request


class LimitRanger(Plugin):
    """Looks at pods and claims in namespaces that have a LimitRange."""

    def admit(self, request: Request, reader: Reader) -> None:
        if not request.concerns(PODS, Operation.CREATE):
            return
        ranges = reader.list(LIMIT_RANGES, request.namespace)
        told = [text for each in ranges for text in limit_range.fill_in(request.new, each)]
        if told:
            annotations = request.new["metadata"].setdefault("annotations", {})
            annotations[limit_range.ANNOTATION] = limit_range.annotation(told)

    def validate(self, request: Request, reader: Reader) -> None:
        if not (request.concerns(PODS, Operation.CREATE) or request.concerns(CLAIMS, Operation.CREATE)):
            return
        found: list[str] = []
        for each in reader.list(LIMIT_RANGES, request.namespace):
            if request.kind.resource == PODS:
                found += limit_range.pod_complaints(request.new, each)
            else:
                found += limit_range.claim_complaints(request.new, each)
        if found:
            plural = request.kind.resource.plural
            told = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
            raise Forbidden(f'{plural} "{request.name}" is forbidden: {told}', name=request.name, kind=plural)
