"""EndpointSlice: the addresses behind a Service, as newer clients read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sidings.api import endpoint_addresses, schemas
from sidings.api.fields import FieldError, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import ENDPOINT_SLICES

ADDRESS_TYPES = ("FQDN", "IPv4", "IPv6")
PROTOCOLS = ("SCTP", "TCP", "UDP")
SERVICE_NAME = "kubernetes.io/service-name"
"""Label: the Service that a slice belongs to."""
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
"""Label: who writes a slice."""
MANAGER = "endpointslice-controller.k8s.io"
"""Who writes those of Services with a selector."""
_FAMILIES = {"IPv4": endpoint_addresses.IPV4, "IPv6": endpoint_addresses.IPV6}
_SHOWN = 3


class EndpointSliceRules(Rules):
    """Defaults and messages of discovery.k8s.io/v1 (v1.36)."""

    def default(self, obj: Object) -> None:
        for port in obj.get("ports") or ():
            port.setdefault("name", "")
            port.setdefault("protocol", "TCP")

    def validate(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        type_ = obj.get("addressType") or ""
        if not type_:
            errors.append(required("addressType"))
        elif type_ not in ADDRESS_TYPES:
            errors.append(not_supported("addressType", type_, ADDRESS_TYPES))
        for index, endpoint in enumerate(obj.get("endpoints") or ()):
            if not endpoint.get("addresses"):
                errors.append(required(f"endpoints[{index}].addresses", "must contain at least 1 address"))
            if type_ in _FAMILIES:
                for number, address in enumerate(endpoint.get("addresses") or ()):
                    path = f"endpoints[{index}].addresses[{number}]"
                    errors += endpoint_addresses.errors(address, path, _FAMILIES[type_])
        for index, port in enumerate(obj.get("ports") or ()):
            if port["protocol"] not in PROTOCOLS:
                errors.append(not_supported(f"ports[{index}].protocol", port["protocol"], PROTOCOLS))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        if new.get("addressType") != old.get("addressType"):
            return [invalid("addressType", new.get("addressType"), "field is immutable")]
        return []


def _some(texts: Sequence[str]) -> str:
    """The first three, and how many more there are."""
    more = len(texts) - _SHOWN
    return (",".join(texts[:_SHOWN]) + (f" + {more} more..." if more > 0 else "")) or columns.UNSET


def _ports(obj: Object, now: datetime) -> Any:
    return _some([str(port.get("port") or port.get("name") or "*") for port in obj.get("ports") or ()])


def _endpoints(obj: Object, now: datetime) -> Any:
    return _some([address for endpoint in obj.get("endpoints") or () for address in endpoint["addresses"]])


KIND = Kind(
    resource=ENDPOINT_SLICES,
    singular="endpointslice",
    schema=schemas.schema(ENDPOINT_SLICES.group, ENDPOINT_SLICES.version, ENDPOINT_SLICES.kind),
    builtin=True,
    rules=EndpointSliceRules(),
    columns=(
        columns.NAME,
        Column("AddressType", cell=columns.field("addressType"), description="IPv4, IPv6 or FQDN."),
        Column("Ports", cell=_ports, description="Ports of all endpoints."),
        Column("Endpoints", cell=_endpoints, description="Addresses, ready or not."),
        columns.AGE,
    ),
)
