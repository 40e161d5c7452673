"""What a client may ask of a write, a deletion, a list or a watch besides the object itself.

The dataclasses are what the verbs take; in-process callers fill them directly. The ``for_*`` functions read them from
a URL's query and refuse what kube-apiserver refuses, in its words (``k8s.io/apimachinery`` ``meta/v1/validation`` and
``meta/internalversion/validation``, v0.36).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sidings.api import fields
from sidings.api.fields import FieldError

STRICT, WARN, IGNORE = "Strict", "Warn", "Ignore"
FOREGROUND, BACKGROUND, ORPHAN = "Foreground", "Background", "Orphan"
EXACT, NOT_OLDER_THAN = "Exact", "NotOlderThan"

META = "meta.k8s.io"
MAX_MANAGER_BYTES = 128

Warn = Callable[[str], None]
"""Takes the text of one ``Warning:`` header."""


Guard = Callable[[dict[str, Any], dict[str, Any] | None], None]
"""Takes an object that is about to be stored and the one that it replaces (None: none); refuses by raising."""


def no_warnings(text: str) -> None:
    """For callers that show no warnings: controllers, for one."""


def no_guard(new: dict[str, Any], old: dict[str, Any] | None) -> None:
    """For callers who may write whatever passes the kind's own rules."""


@dataclass(frozen=True)
class WriteOptions:
    """``CreateOptions``, ``UpdateOptions`` and ``PatchOptions`` in one."""

    dry_run: bool = False
    field_manager: str = ""
    field_validation: str = WARN
    """``Strict``, ``Warn`` or ``Ignore``."""
    force: bool = False
    """Apply only: take over fields that other managers own."""
    repeated: tuple[str, ...] = ()
    """What a strict reader of the body says: ``duplicate field "spec.x"``; only the parser can see it."""
    warn: Warn = no_warnings
    guard: Guard = no_guard
    """Asked before validation; only whoever knows the user can say what that user may write."""


@dataclass(frozen=True)
class DeleteOptions:
    """``metav1.DeleteOptions``; ``uid`` and ``resource_version`` are its preconditions."""

    grace_period_seconds: int | None = None
    propagation_policy: str = ""
    """``Foreground``, ``Background`` or ``Orphan``; empty: what the kind does by default."""
    orphan_dependents: bool | None = None
    """The deprecated form of the policy, still sent by old clients."""
    uid: str = ""
    resource_version: str = ""
    dry_run: bool = False
    warn: Warn = no_warnings


@dataclass(frozen=True)
class ListOptions:
    """``metav1.ListOptions`` for lists and watches."""

    label_selector: str = ""
    field_selector: str = ""
    resource_version: str = ""
    resource_version_match: str = ""
    limit: int = 0
    continue_: str = ""
    send_initial_events: bool | None = None
    bookmarks: bool = False
    timeout_seconds: float | None = None


WRITE_DEFAULTS = WriteOptions()
DELETE_DEFAULTS = DeleteOptions()
LIST_DEFAULTS = ListOptions()


class Query(Protocol):
    """The query of a URL; of a repeated parameter the first counts."""

    def text(self, name: str) -> str: ...

    def flag(self, name: str) -> bool: ...

    def integer(self, name: str) -> int | None: ...


def manager_of(user_agent: str) -> str:
    """The field manager of a client that names none: ``kubectl/v1.37.1 (linux...)`` is ``kubectl``."""
    name = user_agent.partition("/")[0]
    return name.encode()[:MAX_MANAGER_BYTES].decode(errors="ignore")


def for_create(query: Query, *, user_agent: str, repeated: tuple[str, ...] = (), warn: Warn) -> WriteOptions:
    return _write(query, "CreateOptions", [], user_agent, repeated, warn)


def for_update(query: Query, *, user_agent: str, repeated: tuple[str, ...] = (), warn: Warn) -> WriteOptions:
    return _write(query, "UpdateOptions", [], user_agent, repeated, warn)


def for_patch(query: Query, *, apply: bool, user_agent: str, warn: Warn) -> WriteOptions:
    """``apply``: the body is an apply configuration."""
    errors = []
    if not apply and query.text("force"):
        errors.append(fields.forbidden("force", "may not be specified for non-apply patch"))
    if apply and not query.text("fieldManager"):
        errors.append(fields.required("fieldManager", "is required for apply patch"))
    return _write(query, "PatchOptions", errors, user_agent, (), warn)


def _write(
    query: Query, kind: str, errors: list[FieldError], user_agent: str, repeated: tuple[str, ...], warn: Warn
) -> WriteOptions:
    manager, validation, dry_run = query.text("fieldManager"), query.text("fieldValidation"), query.text("dryRun")
    errors += _manager_errors(manager)
    errors += _dry_run_errors([dry_run] if dry_run else [])
    if validation not in ("", STRICT, WARN, IGNORE):
        errors.append(fields.not_supported("fieldValidation", validation, ["", IGNORE, STRICT, WARN]))
    _raise(kind, errors)
    return WriteOptions(
        dry_run=bool(dry_run),
        field_manager=manager or manager_of(user_agent),
        field_validation=validation or WARN,
        force=query.flag("force"),
        repeated=repeated,
        warn=warn,
    )


def for_delete(query: Query, body: Mapping[str, Any] | None, *, warn: Warn) -> DeleteOptions:
    """``body`` is a decoded ``DeleteOptions``; where there is one, the query means nothing (as in kube-apiserver)."""
    if body is None:
        body = {
            "gracePeriodSeconds": query.integer("gracePeriodSeconds"),
            "propagationPolicy": query.text("propagationPolicy") or None,
            "orphanDependents": query.flag("orphanDependents") if query.text("orphanDependents") else None,
            "dryRun": [query.text("dryRun")] if query.text("dryRun") else [],
        }
    policy, orphan = body.get("propagationPolicy"), body.get("orphanDependents")
    dry_run = body.get("dryRun") or []
    preconditions = body.get("preconditions") or {}
    errors = []
    if orphan is not None and policy is not None:
        detail = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(fields.invalid("propagationPolicy", policy, detail))
    if policy is not None and policy not in (FOREGROUND, BACKGROUND, ORPHAN):
        errors.append(fields.not_supported("propagationPolicy", policy, [FOREGROUND, BACKGROUND, ORPHAN, "nil"]))
    errors += _dry_run_errors(dry_run)
    _raise("DeleteOptions", errors)
    return DeleteOptions(
        grace_period_seconds=body.get("gracePeriodSeconds"),
        propagation_policy=policy or "",
        orphan_dependents=orphan,
        uid=preconditions.get("uid") or "",
        resource_version=preconditions.get("resourceVersion") or "",
        dry_run=bool(dry_run),
        warn=warn,
    )


def for_list(query: Query, *, watch: bool = False) -> ListOptions:
    options = ListOptions(
        label_selector=query.text("labelSelector"),
        field_selector=query.text("fieldSelector"),
        resource_version=query.text("resourceVersion"),
        resource_version_match=query.text("resourceVersionMatch"),
        limit=query.integer("limit") or 0,
        continue_=query.text("continue"),
        send_initial_events=query.flag("sendInitialEvents") if query.text("sendInitialEvents") else None,
        bookmarks=query.flag("allowWatchBookmarks"),
        timeout_seconds=query.integer("timeoutSeconds"),
    )
    _raise("ListOptions", _watch_errors(options) if watch else _list_errors(options))
    return options


def _list_errors(options: ListOptions) -> list[FieldError]:
    match, errors = options.resource_version_match, []
    if match:
        forbidden = "resourceVersionMatch is forbidden "
        if not options.resource_version:
            errors.append(_match_forbidden(forbidden + "unless resourceVersion is provided"))
        if options.continue_:
            errors.append(_match_forbidden(forbidden + "when continue is provided"))
        if match not in (EXACT, NOT_OLDER_THAN):
            errors.append(fields.not_supported("resourceVersionMatch", match, [EXACT, NOT_OLDER_THAN, ""]))
        if match == EXACT and options.resource_version == "0":
            errors.append(_match_forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    if options.send_initial_events is not None:
        errors.append(fields.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(options: ListOptions) -> list[FieldError]:
    match, errors = options.resource_version_match, []
    if options.send_initial_events is not None and match != NOT_OLDER_THAN:
        errors.append(_match_forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
    if match:
        if options.send_initial_events is None:
            errors.append(
                _match_forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
            )
        if match != NOT_OLDER_THAN:
            errors.append(fields.not_supported("resourceVersionMatch", match, [NOT_OLDER_THAN]))
        if options.continue_:
            errors.append(_match_forbidden("resourceVersionMatch is forbidden when continue is provided"))
    return errors


def _match_forbidden(detail: str) -> FieldError:
    return fields.forbidden("resourceVersionMatch", detail)


def _manager_errors(manager: str) -> list[FieldError]:
    if len(manager.encode()) > MAX_MANAGER_BYTES:
        return [fields.too_long("fieldManager", MAX_MANAGER_BYTES)]
    if not manager.isprintable():
        return [fields.invalid("fieldManager", manager, "should only contain printable characters")]
    return []


def _dry_run_errors(values: list[str]) -> list[FieldError]:
    if all(value == "All" for value in values):
        return []
    return [fields.not_supported("dryRun", values, ["All"])]


def _raise(kind: str, errors: list[FieldError]) -> None:
    if errors:
        raise fields.to_invalid(META, kind, "", errors)
