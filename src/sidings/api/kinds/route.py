"""Route (route.openshift.io/v1): a name under which OpenShift's router shows a Service to the outside.

Stored, so that manifests apply and ``oc get route`` answers. Nothing routes here: whoever makes one is told how to
reach the Service instead.
"""

from __future__ import annotations

from datetime import datetime

from sidings.api import schemas
from sidings.api.fields import FieldError, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object, name_of, namespace_of
from sidings.api.resources import ROUTES

_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
SCHEMA = {
    "type": "object",
    "description": "A Service under a name of its own. Nothing routes here.",
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": schemas.definition(_OBJECT_META),
        "spec": {
            **_FREE,
            "properties": {
                "host": {"type": "string", "description": "The name that clients ask for."},
                "path": {"type": "string"},
                "to": {
                    "type": "object",
                    "description": "The Service behind it.",
                    "properties": {
                        "kind": {"type": "string", "default": "Service"},
                        "name": {"type": "string"},
                        "weight": {"type": "integer", "default": 100},
                    },
                },
                "port": {**_FREE, "properties": {"targetPort": {"x-kubernetes-int-or-string": True}}},
                "wildcardPolicy": {"type": "string", "default": "None"},
            },
        },
        "status": _FREE,
    },
}


class RouteRules(Rules):
    def validate(self, obj: Object) -> list[FieldError]:
        to = (obj.get("spec") or {}).get("to") or {}
        return [] if to.get("name") else [required("spec.to.name")]

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        if old is not None:
            return []
        service = obj["spec"]["to"]["name"]
        return [
            f'route "{name_of(obj)}" is stored, but nothing routes here; to reach the service: kubectl port-forward -n '
            f"{namespace_of(obj)} service/{service} LOCAL:REMOTE"
        ]


def _port(obj: Object, now: datetime) -> str:
    return str(((obj.get("spec") or {}).get("port") or {}).get("targetPort") or "<all>")


KIND = Kind(
    resource=ROUTES,
    singular="route",
    schema=SCHEMA,
    builtin=False,
    rules=RouteRules(),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Host/Port", cell=columns.field("spec", "host"), description="The name that clients ask for."),
        Column("Path", cell=columns.field("spec", "path"), description="Only what is below this path."),
        Column("Services", cell=columns.field("spec", "to", "name"), description="What is behind it."),
        Column("Port", cell=_port, description="Port of the Service."),
        Column("Termination", cell=columns.field("spec", "tls", "termination"), description="Who ends TLS."),
        Column(
            "Wildcard",
            cell=columns.field("spec", "wildcardPolicy", missing="None"),
            description="Whether it takes all names of a domain.",
        ),
    ),
    generation=False,
)
