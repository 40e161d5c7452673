"""Project (project.openshift.io/v1): a namespace as OpenShift's ``oc`` sees it.

There is one store of namespaces; a project is a view of one. What a project has beside (display name, description, who
asked for it) are annotations of the namespace.
"""

from __future__ import annotations

from sidings.api.kind import Column, Conversion, Kind
from sidings.api.kinds import columns, namespace
from sidings.api.objects import Object, annotations_of
from sidings.api.resources import NAMESPACES, PROJECTS

DISPLAY_NAME = "openshift.io/display-name"
DESCRIPTION = "openshift.io/description"
REQUESTER = "openshift.io/requester"


def to_namespace(obj: Object) -> Object:
    """``obj``, or a patch of one, as a namespace."""
    if "kind" in obj or "apiVersion" in obj:
        return {**obj, "apiVersion": NAMESPACES.api_version, "kind": NAMESPACES.kind}
    return obj


def from_namespace(obj: Object) -> Object:
    return {**obj, "apiVersion": PROJECTS.api_version, "kind": PROJECTS.kind}


KIND = Kind(
    resource=PROJECTS,
    singular="project",
    schema=namespace.KIND.schema,
    builtin=True,
    rules=namespace.KIND.rules,
    columns=(
        columns.NAME,
        Column(
            "Display Name",
            cell=lambda obj, now: annotations_of(obj).get(DISPLAY_NAME, ""),
            description="What people call it.",
        ),
        Column("Status", cell=columns.field("status", "phase"), description="Active, or Terminating."),
    ),
    generation=False,
    field_labels=namespace.KIND.field_labels,
    conversion=Conversion(namespace.KIND, to_namespace, from_namespace, str),
)
