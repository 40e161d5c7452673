"""What labels and annotations may be, wherever they stand: on an object, on the pods of a template, in a selector.

``ValidateLabels`` and ``ValidateAnnotations`` of apimachinery v0.36.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sidings.api import fields, names
from sidings.api.fields import FieldError

MAX_ANNOTATION_BYTES = 256 * 1024


def of_labels(found: Mapping[str, str], path: str) -> Iterator[FieldError]:
    """The broken rules of the labels at ``path``; each names the wrong key or value."""
    for key, value in found.items():
        for text in names.qualified_name(key):
            yield fields.invalid(path, key, text)
        for text in names.label_value(value):
            yield fields.invalid(path, value, text)


def of_annotations(found: Mapping[str, str], path: str) -> Iterator[FieldError]:
    """The broken rules of the annotations at ``path``, of which only the keys and the size are limited."""
    for key in found:
        # Keys are compared in lower case: annotations may be mixed-case where labels may not.
        for text in names.qualified_name(key.lower()):
            yield fields.invalid(path, key, text)
    if sum(len(key.encode()) + len(value.encode()) for key, value in found.items()) > MAX_ANNOTATION_BYTES:
        yield fields.too_long(path, MAX_ANNOTATION_BYTES)
