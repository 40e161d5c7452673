"""From the body of a request to an object of its kind: is it one, which fields does it really have?

Built-in kinds are decoded as into Go structs, so a wrong type ends the request here. Custom resources stay JSON and
lose what their schema does not know. What a strict reader objects to is an error, a warning or nothing, as
``fieldValidation`` says. Messages are kube-apiserver's (v1.36, ``endpoints/handlers/create.go`` and the decoders).
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api import schemas, structural
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import STRICT, WARN, WriteOptions
from sidings.api.status import BadRequest
from sidings.registry.context import Context

_SCHEME = '"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_OMITTED_EMPTY = ("labels", "annotations", "finalizers", "ownerReferences")
_TYPE_META = ("apiVersion", "kind", "metadata")


class RefusedByWebhook(BadRequest):
    """A webhook that cannot read the object answers 400 without a reason."""

    reason = ""


class Unreadable(Exception):
    """What a strict or typed reader objects to; the verb decides which answer that is."""

    def __init__(self, message: str, *, strict: bool) -> None:
        super().__init__(message)
        self.message = message
        self.strict = strict


def decode(context: Context, kind: Kind, body: Object, options: WriteOptions) -> Object:
    """The body of a POST or PUT as an object of ``kind`` with its defaults; ``body`` is not changed.

    Raises ``BadRequest``.
    """
    resource = kind.resource
    api_version, name = body.get("apiVersion") or resource.api_version, body.get("kind") or resource.kind
    version = str(api_version).rpartition("/")[2]
    cannot = f'{name} in version "{version}" cannot be handled as a {resource.kind}: '
    if not kind.builtin and api_version != resource.api_version:
        for field in body:
            if field not in _TYPE_META and options.field_validation == WARN:
                options.warn(f'unknown field "{field}"')
        raise BadRequest(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({resource.api_version})"
        )
    if kind.builtin and (api_version, name) != (resource.api_version, resource.kind):
        if context.catalog.by_api_version(str(api_version), str(name)) is None:
            raise BadRequest(f'{cannot}no kind "{name}" is registered for version "{api_version}" in scheme {_SCHEME}')
        internal = resource.group.partition(".")[0] or "core"
        raise BadRequest(f"{cannot}converting ({version}.{name}) to ({internal}.{resource.kind}): unknown conversion")
    try:
        obj, objections = read(kind, body, options.repeated)
        object_to(objections, options)
    except Unreadable as error:
        raise BadRequest(f"{cannot}{error.message}") from error
    return obj


def read(kind: Kind, body: Object, repeated: Sequence[str] = ()) -> tuple[Object, list[str]]:
    """``body`` with only the fields of ``kind`` and with its defaults, and what a strict reader objects to.

    Raises ``Unreadable`` for what no reader can read.
    """
    decoded = structural.decode(kind.schema, body, builtin=kind.builtin)
    error = decoded.error
    if not error and not kind.builtin:
        metadata = {} if body.get("metadata") is None else body["metadata"]
        meta = structural.decode(schemas.definition(_OBJECT_META), metadata, builtin=True)
        error = meta.error
        # Those of a custom resource, too, go through Go's struct, which makes nulls into what it has instead.
        decoded.object["metadata"] = meta.object
    if error:
        raise Unreadable(error, strict=False)
    type_meta = {"apiVersion": kind.resource.api_version, "kind": kind.resource.kind}
    obj = {**type_meta, **decoded.object, **type_meta}
    if obj.get("metadata") is None:
        obj["metadata"] = {}
    elif any(obj["metadata"].get(field) in ({}, []) for field in _OMITTED_EMPTY):
        # Go leaves them out when it writes the object, that of a custom resource as well.
        kept = {name: value for name, value in obj["metadata"].items() if name not in _OMITTED_EMPTY or value}
        obj["metadata"] = kept
    if not kind.builtin:
        structural.default(kind.schema, obj)
    kind.rules.default(obj)
    return obj, [*repeated, *decoded.strict_errors()]


def object_to(objections: Sequence[str], options: WriteOptions) -> None:
    """Raise ``Unreadable``, warn or do nothing, as ``options.field_validation`` says."""
    if options.field_validation == STRICT and objections:
        raise Unreadable(f"strict decoding error: {', '.join(objections)}", strict=True)
    if options.field_validation == WARN:
        for text in objections:
            options.warn(text)


def check_webhook_can_read(kind: Kind, obj: Object) -> None:
    """Upstream's mutating webhooks decode the object into Go structs first; raises ``RefusedByWebhook``.

    Not asked of metadata, which ``read`` has decoded so already.
    """
    if not kind.mutating_webhook:
        return
    error = structural.decode(kind.schema, {**obj, "metadata": {}}, builtin=True).error
    if error:
        raise RefusedByWebhook(f'admission webhook "{kind.mutating_webhook}" denied the request: {error}')


def address(kind: Kind, obj: Object, name: str, namespace: str) -> None:
    """Make ``obj`` say where the URL says it is; raises ``BadRequest`` where it says otherwise.

    ``name`` is empty for a POST, where the object alone names itself.
    """
    metadata = obj["metadata"]
    if name and metadata.setdefault("name", name) != name:
        raise BadRequest(f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})")
    if not kind.resource.namespaced:
        metadata.pop("namespace", None)
    elif (metadata.get("namespace") or namespace) != namespace:
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
    else:
        metadata["namespace"] = namespace
