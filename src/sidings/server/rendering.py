"""Objects, pages and events in the form that the client asked for.

Stored objects come with their JSON, so the common form is bytes put together and nothing is encoded twice, however many
watchers there are. The other forms (Table, PartialObjectMetadata, YAML) are made from the decoded object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sidings.api import table, yaml_documents
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.resources import Resource
from sidings.api.status import BadRequest
from sidings.registry.listing import Item, Page
from sidings.registry.watching import BOOKMARK, Event
from sidings.server.negotiation import YAML, Answer, Form
from sidings.server.responses import Header, Response, encode

METADATA, OBJECT, NONE = "Metadata", "Object", "None"


@dataclass(frozen=True, slots=True)
class Rendering:
    """How one request's answer is rendered. ``include`` is the query's ``includeObject``, for tables."""

    kind: Kind
    answer: Answer
    include: str
    now: datetime

    @property
    def content_type(self) -> bytes:
        return self.answer.media_type.encode()

    def item(self, item: Item) -> Response:
        """One stored object."""
        if self.answer.form is Form.OBJECT and self.answer.media_type != YAML:
            return Response(200, item.data)
        return self._response(200, self._single(item.object))

    def written(self, obj: Object, status: int, headers: Sequence[Header]) -> Response:
        """The object that a write answers with."""
        return self._response(status, self._single(obj), headers)

    def page(self, page: Page) -> Response:
        metadata: Object = {"resourceVersion": page.resource_version}
        if page.continue_ or (self.answer.form is Form.OBJECT and not self.kind.builtin):
            metadata["continue"] = page.continue_
        if page.remaining is not None:
            metadata["remainingItemCount"] = page.remaining
        resource = self.kind.resource
        if self.answer.form is Form.TABLE:
            return self._response(200, self._table([item.object for item in page.items], metadata))
        if self.answer.form is not Form.OBJECT:
            body = {
                "kind": "PartialObjectMetadataList",
                "apiVersion": self.answer.meta_api_version,
                "metadata": metadata,
                "items": [self._partial(item.object) for item in page.items],
            }
            return self._response(200, body)
        head = {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": metadata}
        if self.answer.media_type == YAML:
            return self._response(200, {**head, "items": [item.object for item in page.items]})
        # Items of built-in lists do not say again what the list says of all of them.
        items = [item.data for item in page.items]
        if self.kind.builtin:
            items = _untyped(resource, items)
        return Response(200, b'%s,"items":[%s]}' % (encode(head)[:-1], b",".join(items)))

    def frame(self, event: Event, *, first: bool) -> bytes:
        """One line of a watch. Of a watch in tables only the ``first`` frame has the columns."""
        if self.answer.form is Form.OBJECT:
            data = event.data
        elif self.answer.form is not Form.TABLE:
            data = encode(self._partial(event.object))
        elif event.type == BOOKMARK:
            metadata = {"resourceVersion": event.object["metadata"]["resourceVersion"]}
            data = encode(self._table([], metadata))
        else:
            made = self._table([event.object], {"resourceVersion": event.object["metadata"]["resourceVersion"]})
            if not first:
                made["columnDefinitions"] = None
            data = encode(made)
        return b'{"type":"%s","object":%s}\n' % (event.type.encode(), data)

    def _single(self, obj: Object) -> Object:
        if self.answer.form is Form.OBJECT:
            return obj
        if self.answer.form is Form.TABLE:
            return self._table([obj], {"resourceVersion": obj["metadata"].get("resourceVersion", "")})
        return self._partial(obj)

    def _partial(self, obj: Object) -> Object:
        return {
            "kind": "PartialObjectMetadata",
            "apiVersion": self.answer.meta_api_version,
            "metadata": obj["metadata"],
        }

    def _table(self, objects: Sequence[Object], metadata: Object) -> Object:
        if self.include not in ("", METADATA, OBJECT, NONE):
            raise BadRequest(
                f'Unable to convert to Table as requested: includeObject: Invalid value: "{self.include}": '
                "must be 'Metadata', 'Object', 'None', or empty"
            )
        return {
            "kind": "Table",
            "apiVersion": self.answer.meta_api_version,
            "metadata": metadata,
            "columnDefinitions": table.column_definitions(self.kind),
            "rows": [
                {"cells": table.cells(self.kind, obj, self.now), "object": self._row_object(obj)} for obj in objects
            ],
        }

    def _row_object(self, obj: Object) -> Object | None:
        if self.include == NONE:
            return None
        return obj if self.include == OBJECT else self._partial(obj)

    def _response(self, status: int, body: Any, headers: Sequence[Header] = ()) -> Response:
        if self.answer.media_type != YAML:
            return Response(status, encode(body), headers=headers)
        return Response(status, yaml_documents.dump(body).encode(), YAML.encode(), headers)


@lru_cache(maxsize=256)
def _type_prefixes(resource: Resource) -> tuple[bytes, bytes]:
    """How the JSON of a stored object may begin: clients write kind and apiVersion in either order."""
    return (
        encode({"apiVersion": resource.api_version, "kind": resource.kind})[:-1] + b",",
        encode({"kind": resource.kind, "apiVersion": resource.api_version})[:-1] + b",",
    )


def _untyped(resource: Resource, objects: list[bytes]) -> list[bytes]:
    """The JSON of objects without apiVersion and kind; one that does not begin with them stays as it is."""
    prefixes = _type_prefixes(resource)
    length = len(prefixes[0])
    return [b"{" + data[length:] if data.startswith(prefixes) else data for data in objects]
