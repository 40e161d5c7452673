"""Which form of an answer a client wants: the ``Accept`` header.

The list is walked in order and the first form that we have wins, as in apimachinery's ``negotiation`` package; quality
values are ignored there too. Protobuf answers are never offered: every client that asks for them also names JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from sidings.api.status import NotAcceptable

JSON = "application/json"
YAML = "application/yaml"

AVAILABLE = (
    "application/json, application/yaml, application/vnd.kubernetes.protobuf, "
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
)
"""kube-apiserver's words for a built-in kind, kept as they are; protobuf answers are in truth not to be had here."""


class Form(Enum):
    """What the objects of an answer are turned into."""

    OBJECT = ""
    TABLE = "Table"
    PARTIAL = "PartialObjectMetadata"
    PARTIAL_LIST = "PartialObjectMetadataList"


@dataclass(frozen=True)
class Answer:
    """The negotiated answer. ``version`` is that of ``meta.k8s.io``: v1 or v1beta1; it matters for all but OBJECT."""

    form: Form = Form.OBJECT
    media_type: str = JSON
    version: str = "v1"

    @property
    def meta_api_version(self) -> str:
        return f"meta.k8s.io/{self.version}"


OBJECT_JSON = Answer()


def media_types(accept: str) -> list[tuple[str, dict[str, str]]]:
    """The entries of an Accept header, in order: type in lower case, and parameters."""
    found = []
    for entry in accept.split(","):
        media_type, *parameters = (part.strip() for part in entry.split(";"))
        pairs = (parameter.partition("=") for parameter in parameters)
        found.append((media_type.lower(), {name.lower(): value.strip('"') for name, _, value in pairs}))
    return found


@lru_cache(maxsize=256)
def negotiate(accept: str) -> Answer:
    """The answer for an Accept header (empty: JSON). Raises NotAcceptable where nothing on the list can be had."""
    if not accept:
        return OBJECT_JSON
    for media_type, parameters in media_types(accept):
        if media_type in ("*/*", "application/*"):
            media_type = JSON
        if media_type not in (JSON, YAML):
            continue
        wanted = parameters.get("as", "")
        if not wanted:
            return Answer(Form.OBJECT, media_type)
        if parameters.get("g") != "meta.k8s.io" or parameters.get("v") not in ("v1", "v1beta1"):
            continue
        if wanted in ("Table", "PartialObjectMetadata", "PartialObjectMetadataList"):
            return Answer(Form(wanted), media_type, parameters["v"])
    raise NotAcceptable(f"406: Not Acceptable\n\nAvailable representations: {AVAILABLE}")


@lru_cache(maxsize=256)
def discovery_version(accept: str) -> str:
    """``v2`` or ``v2beta1`` where aggregated discovery is wanted, ``""`` where the plain documents are."""
    for media_type, parameters in media_types(accept):
        if media_type in ("*/*", "application/*", "") or (media_type == JSON and "as" not in parameters):
            return ""
        if (
            media_type == JSON
            and parameters.get("as") == "APIGroupDiscoveryList"
            and parameters.get("g") == "apidiscovery.k8s.io"
            and parameters.get("v") in ("v2", "v2beta1")
        ):
            return parameters["v"]
    return ""
