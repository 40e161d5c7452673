"""A kind is one declaration.

Discovery, OpenAPI, ``kubectl explain``, tables, strict field validation, defaulting, server-side apply and strategic
merge all read the same :class:`Kind`. Its pure rules (what the API server's registry strategies and the upstream
admission webhooks do without looking at other objects) hang off it as a :class:`Rules`; rules that must look at other
objects are admission plug-ins in ``registry/admission/``, which call pure functions of ``api/`` as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sidings.api import names
from sidings.api.fields import FieldError
from sidings.api.objects import Object
from sidings.api.resources import Resource

Schema = Mapping[str, Any]
"""A structural OpenAPI v3 schema with the ``x-kubernetes-*`` extensions; read-only and shared."""


@dataclass(frozen=True)
class Column:
    """One printer column. ``json_path`` for CRD-style columns, ``cell`` for those that upstream computes in code.

    ``cell(obj, now)`` gets ``now`` as an aware datetime, because ages are part of what the server prints.
    """

    name: str
    type: str = "string"
    json_path: str = ""
    cell: Callable[[Object, Any], Any] | None = None
    priority: int = 0
    format: str = ""
    description: str = ""


class Rules:
    """The pure rules of one kind; this base class has none. Each hook may be overridden.

    Order for a write, as the API server's: decode -> ``default`` -> (CRD: schema defaults) -> ``prepare_*`` ->
    mutating admission -> schema validation -> ``validate_*`` -> validating admission -> store.
    """

    def name_complaints(self, name: str) -> list[str]:
        """Why ``name`` may not be the name of an object of this kind, in upstream's words; empty if it may."""
        return names.dns1123_subdomain(name)

    def default(self, obj: Object) -> None:
        """Fill in defaults that the schema cannot express; changes ``obj`` in place. Runs on every write."""

    def default_on_create(self, obj: Object) -> None:
        """What upstream's mutating webhook or create strategy adds once, at creation (uid is already set)."""

    def prepare_for_update(self, new: Object, old: Object) -> None:
        """Carry over or drop what a client may not change silently; changes ``new`` in place."""

    def prepare_for_status_update(self, new: Object, old: Object) -> None:
        """The same for ``/status``; by default everything but status and managedFields comes from ``old``."""

    def validate(self, obj: Object) -> list[FieldError]:
        """Rules on one object, on create and update alike."""
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        return []

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return []

    def validate_status_update(self, new: Object, old: Object) -> list[FieldError]:
        return []

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Texts for ``Warning:`` headers."""
        return []

    def grace_period(self, obj: Object, requested: int | None) -> int | None:
        """Seconds of graceful deletion, or None where deletion is immediate (every kind but pods)."""
        return None


@dataclass(frozen=True)
class Conversion:
    """How a kind is a view of the objects of another one, which is stored."""

    stored: Kind
    to_stored: Callable[[Object], Object]
    from_stored: Callable[[Object], Object]
    selector_to_stored: Callable[[str], str]
    """A field selector in the stored kind's words."""


@dataclass(frozen=True)
class Scale:
    """Where ``/scale`` finds its figures in an object: paths, as in a CRD's ``subresources.scale``."""

    replicas: tuple[str, ...]
    status_replicas: tuple[str, ...]
    selector: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """The declaration of one kind in one version."""

    resource: Resource
    singular: str
    schema: Schema
    builtin: bool
    """True: a kind of Kubernetes itself (strategic merge, Go decoding errors, selected status semantics).
    False: behaves as a CustomResource does."""
    rules: Rules = field(default_factory=Rules)
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: frozenset[str] = frozenset()
    scale: Scale | None = None
    """Present exactly where ``scale`` is among the subresources."""
    columns: tuple[Column, ...] = ()
    """All printer columns in order, ``Name`` included (``kinds/columns.py`` has it); empty: Name and Age."""
    generation: bool = True
    """Whether metadata.generation is kept (not for ConfigMap, Secret, Service, PVC and the like)."""
    spec_fields: tuple[str, ...] = ()
    """Top-level fields whose change bumps generation; empty: everything but metadata and status."""
    field_labels: Mapping[str, str] = field(default_factory=dict)
    """Selectable fields beyond metadata.name/namespace: label -> JSONPath-like dotted path."""
    default_propagation: str = "Background"
    """``Orphan`` for batch/v1 Jobs, as upstream keeps it for compatibility."""
    mutating_webhook: str = ""
    """The webhook in which upstream decodes this CRD kind on create: it answers 400 to wrong JSON types, not 422."""

    conversion: Conversion | None = None
    """Set where the objects of this kind are stored as those of another one."""

    @property
    def has_status(self) -> bool:
        return "status" in self.subresources
