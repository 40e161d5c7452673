"""A kind that is another view of stored objects: every verb in the words of the one, done on the other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from sidings.api import fields
from sidings.api.kind import Conversion, Kind
from sidings.api.objects import Object
from sidings.api.options import ListOptions, WriteOptions
from sidings.registry import incoming
from sidings.registry.context import Context
from sidings.registry.listing import Item, Page
from sidings.registry.watching import Event
from sidings.store.store import encode


def item(conversion: Conversion, stored: Item) -> Item:
    shown = conversion.from_stored(stored.object)
    return Item(shown, encode(shown))


def page(conversion: Conversion, stored: Page) -> Page:
    return stored._replace(items=[item(conversion, each) for each in stored.items])


async def events(conversion: Conversion, stored: AsyncIterator[Event]) -> AsyncIterator[Event]:
    async for event in stored:
        shown = conversion.from_stored(event.object)
        yield Event(event.type, shown, encode(shown))


def selected(conversion: Conversion, options: ListOptions) -> ListOptions:
    if not options.field_selector:
        return options
    return replace(options, field_selector=conversion.selector_to_stored(options.field_selector))


def written(context: Context, kind: Kind, conversion: Conversion, body: Object, options: WriteOptions) -> Object:
    """The body of a POST or PUT as an object to store, checked by this kind's own reader and rules."""
    obj = incoming.decode(context, kind, body, options)
    errors = kind.rules.validate(obj)
    if errors:
        resource = kind.resource
        raise fields.to_invalid(resource.group, resource.kind, str(obj["metadata"].get("name") or ""), errors)
    return conversion.to_stored(obj)


def patched(conversion: Conversion, body: Any) -> Any:
    """A patch in the stored kind's words; of a JSON patch the paths are."""
    if isinstance(body, dict):
        return conversion.to_stored(body)
    if not isinstance(body, list):
        return body
    return [_operation(conversion, step) if isinstance(step, dict) else step for step in body]


def _operation(conversion: Conversion, step: Object) -> Object:
    return {
        key: _pointer(conversion, value) if key in ("path", "from") and isinstance(value, str) else value
        for key, value in step.items()
    }


def _pointer(conversion: Conversion, pointer: str) -> str:
    head, separator, rest = pointer[1:].partition("/")
    (renamed,) = conversion.to_stored({head: None})
    return f"/{renamed}{separator}{rest}"
