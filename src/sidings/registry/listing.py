"""Lists: sorted, selected, in pages that all show the same moment.

A continue token says after which object to go on and at which revision, in kube-apiserver's format. The following page
is taken from the store's history at that revision, so objects that change meanwhile are shown as they were. When the
history does not reach back that far any more the answer is 410, with a token for those who would rather go on with the
present than begin anew.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import EXACT, ListOptions
from sidings.api.status import BadRequest, Expired
from sidings.registry import versions
from sidings.registry.context import Context, key_for, prefix_for
from sidings.registry.selection import Selection
from sidings.store.entries import Entry
from sidings.store.errors import Compacted

TOKEN_VERSION = "meta.k8s.io/v1"
TOO_OLD = "The resourceVersion for the provided list is too old."
TOKEN_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)
PRESENT = -1
"""In the place of a token's revision: go on with what there is now."""


class Item(NamedTuple):
    """A stored object, decoded (shared: never change it) and as JSON."""

    object: Object
    data: bytes


class Page(NamedTuple):
    """Objects sorted by namespace and name, as of ``resource_version``."""

    items: Sequence[Item]
    resource_version: str
    continue_: str = ""
    remaining: int | None = None
    """How many follow this page; None where that is not known (selectors) or nothing follows."""


class _Position(NamedTuple):
    """Where a page begins: after ``(namespace, name)``, at ``revision`` (or in the ``PRESENT``)."""

    revision: int
    after: tuple[str, str]


def list_page(context: Context, kind: Kind, namespace: str, options: ListOptions) -> Page:
    selection = Selection(kind, namespace, options.label_selector, options.field_selector)
    position = None
    if options.continue_:
        position = _parse_token(options.continue_)
        if options.resource_version not in ("", "0"):
            raise BadRequest("specifying resource version is not allowed when using continue")
    if position:
        revision = None if position.revision == PRESENT else position.revision
    else:
        revision = _revision_of(context, options)
    entries = _entries(context, kind, selection, revision, position)
    if revision is None:
        revision = context.store.revision
    start = 0
    if position:
        start = next((i for i, e in enumerate(entries) if (e.key[1], e.key[2]) > position.after), len(entries))
    if options.limit <= 0:
        chosen = [e for e in entries[start:] if selection.matches(e.document)]
        return Page([item_of(e) for e in chosen], str(revision))
    chosen = []
    for entry in entries[start:]:
        if selection.matches(entry.document):
            chosen.append(entry)
            if len(chosen) > options.limit:
                break
    if len(chosen) <= options.limit:
        return Page([item_of(e) for e in chosen], str(revision))
    del chosen[-1]
    remaining = len(entries) - start - options.limit if selection.everything else None
    return Page([item_of(e) for e in chosen], str(revision), _token(revision, *chosen[-1].key[1:]), remaining)


def item_of(entry: Entry) -> Item:
    return Item(entry.document, entry.data)


def _revision_of(context: Context, options: ListOptions) -> int | None:
    """The past revision asked for, None where the present will do."""
    try:
        revision = versions.parse(options.resource_version)
    except ValueError as error:
        raise BadRequest(f"invalid resource version: {error}") from error
    versions.must_be_reached(revision, context.store.revision)
    # A limit without a match means exact, as it did before there was a match to ask for.
    exact = options.resource_version_match == EXACT or (options.limit > 0 and not options.resource_version_match)
    return revision if exact and revision else None


def _entries(
    context: Context, kind: Kind, selection: Selection, revision: int | None, position: _Position | None
) -> list[Entry]:
    resource = kind.resource
    if revision is None and selection.name is not None and (selection.namespace or not resource.namespaced):
        entry = context.store.get(key_for(resource, selection.name, selection.namespace))
        return [entry] if entry else []
    prefix = prefix_for(resource, selection.namespace)
    if revision is None and selection.pin is not None:
        return context.store.holding(prefix, *selection.pin)
    try:
        return context.store.scan(prefix, revision)
    except Compacted as error:
        if position is None:
            raise Expired(TOO_OLD) from error
        raise Expired(TOKEN_TOO_OLD, continue_=_token(PRESENT, *position.after)) from error


def _token(revision: int, namespace: str, name: str) -> str:
    start = f"{namespace}/{name}\0" if namespace else f"{name}\0"
    data = msgspec.json.encode({"v": TOKEN_VERSION, "rv": revision, "start": start})
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _parse_token(token: str) -> _Position:
    try:
        data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except (binascii.Error, ValueError) as error:
        raise _bad_token("illegal base64 data") from error
    try:
        found = msgspec.json.decode(data)
        namespace, _, name = found["start"].removesuffix("\0").rpartition("/")
        return _Position(int(found["rv"]), (namespace, name))
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        first = data[:1].decode("latin-1")
        shown = repr(first) if first.isascii() else f"'\\u{ord(first):04x}'"
        raise _bad_token(f"invalid character {shown} looking for beginning of value") from error


def _bad_token(reason: str) -> BadRequest:
    return BadRequest(f"invalid continue token: continue key is not valid: {reason}")
