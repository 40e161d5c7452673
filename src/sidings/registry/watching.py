"""Watches: the changes of one kind, as the client's selection sees them.

An object that begins to match is ADDED, one that stops is DELETED (shown as it last matched), whatever really happened
to it. Bookmarks tell how far a silent watch is. With ``sendInitialEvents`` a client lists and watches in one request,
and a bookmark with an annotation of its own says where the list ends; kubectl 1.37 hangs without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple

from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import ListOptions
from sidings.api.status import Expired, UnexplainedError
from sidings.registry import versions
from sidings.registry.context import Context, prefix_for
from sidings.registry.listing import list_page
from sidings.registry.selection import Selection
from sidings.store.entries import Change
from sidings.store.errors import Closed, Compacted
from sidings.store.store import encode
from sidings.store.watch import Watch

ADDED, MODIFIED, DELETED, BOOKMARK = "ADDED", "MODIFIED", "DELETED", "BOOKMARK"
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
BOOKMARK_SECONDS = 60.0
CLOCK_RESOLUTION = 1e-5
"""A moment nearer than this has come: no clock can be waited for more exactly."""
LAST_BOOKMARK_SECONDS = 2.0
"""The last bookmark comes this long before the watch times out, so that its client can resume from there."""


class Event(NamedTuple):
    """``type`` and the object, decoded (shared: never change it) and as JSON."""

    type: str
    object: Object
    data: bytes


def watch(context: Context, kind: Kind, namespace: str, options: ListOptions) -> AsyncIterator[Event]:
    selection = Selection(kind, namespace, options.label_selector, options.field_selector)
    try:
        after = versions.parse(options.resource_version)
    except ValueError as error:
        # kube-apiserver forgets here that this is the client's fault (recorded: watch-rv-bad).
        raise UnexplainedError(str(error)) from error
    initial: list[Event] = []
    from_now = options.send_initial_events is not None or not after
    if from_now:
        after = context.store.revision
    if options.send_initial_events or (from_now and options.send_initial_events is None):
        found = list_page(
            context,
            kind,
            namespace,
            ListOptions(label_selector=options.label_selector, field_selector=options.field_selector),
        )
        initial = [Event(ADDED, item.object, item.data) for item in found.items]
        if options.send_initial_events and options.bookmarks:
            initial.append(_bookmark(kind, after, {INITIAL_EVENTS_END: "true"}))
    return _Stream(context, kind, selection, options, initial, after).events()


class _Stream:
    """One watch while it runs."""

    def __init__(
        self,
        context: Context,
        kind: Kind,
        selection: Selection,
        options: ListOptions,
        initial: list[Event],
        after: int,
    ) -> None:
        self._context = context
        self._kind = kind
        self._selection = selection
        self._initial = initial
        self._after = after
        self._timeout = options.timeout_seconds
        self._start = context.clock.monotonic()
        self._last_bookmark = (
            float("inf") if self._timeout is None else self._start + max(self._timeout - LAST_BOOKMARK_SECONDS, 0)
        )
        first = min(self._start + BOOKMARK_SECONDS, self._last_bookmark)
        self._next_bookmark = first if options.bookmarks else None

    async def events(self) -> AsyncIterator[Event]:
        try:
            changes = self._context.store.watch(prefix_for(self._kind.resource, self._selection.namespace), self._after)
        except Compacted as error:
            raise Expired(f"too old resource version: {error.revision} ({error.oldest})") from error
        except Closed:
            return
        with changes:
            for event in self._initial:
                yield event
            self._initial = []
            while True:
                batch = await self._next(changes)
                if batch is None:
                    return
                for change in batch:
                    for event in self._seen(change):
                        yield event
                if bookmark := self._due_bookmark(changes):
                    yield bookmark

    async def _next(self, changes: Watch) -> list[Change] | None:
        """The next changes; none of them when a bookmark is due; None at the end."""
        now = self._context.clock.monotonic()
        end = None if self._timeout is None else self._start + self._timeout
        if end is not None and now + CLOCK_RESOLUTION >= end:
            return None
        moments = [moment for moment in (end, self._next_bookmark) if moment is not None]
        try:
            async with asyncio.timeout(max(min(moments) - now, 0) if moments else None):
                return await changes.batch()
        except TimeoutError:
            return []
        except Closed:
            return None
        except Compacted as error:
            raise Expired(f"too old resource version: {error.revision} ({error.oldest})") from error

    def _seen(self, change: Change) -> Iterator[Event]:
        entry, previous = change.entry, change.previous
        selection = self._selection
        did = previous is not None and selection.matches(previous.document)
        does = not change.deleted and selection.matches(entry.document)
        if does:
            yield Event(MODIFIED if did else ADDED, entry.document, entry.data)
        elif did and change.deleted:
            yield Event(DELETED, entry.document, entry.data)
        elif did and previous is not None:
            metadata = {**previous.document["metadata"], "resourceVersion": str(entry.revision)}
            last = {**previous.document, "metadata": metadata}
            yield Event(DELETED, last, encode(last))

    def _due_bookmark(self, changes: Watch) -> Event | None:
        now = self._context.clock.monotonic() + CLOCK_RESOLUTION
        if self._next_bookmark is None or now < self._next_bookmark or not changes.idle:
            return None
        regular = now + BOOKMARK_SECONDS
        self._next_bookmark = min(regular, self._last_bookmark) if now < self._last_bookmark else regular
        revision = self._context.store.revision
        # Who waits for a revision of the future must not be told of one before it.
        return _bookmark(self._kind, revision) if revision >= self._after else None


def _bookmark(kind: Kind, revision: int, annotations: dict[str, str] | None = None) -> Event:
    metadata: Object = {"resourceVersion": str(revision)}
    if annotations:
        metadata["annotations"] = annotations
    obj = {"kind": kind.resource.kind, "apiVersion": kind.resource.api_version, "metadata": metadata}
    return Event(BOOKMARK, obj, encode(obj))
