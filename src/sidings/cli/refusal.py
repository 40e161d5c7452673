"""A manifest that the API server refused, shown with the line that is to be changed.

The server names fields, either in ``details.causes`` or (unknown fields, apply) in its message only.
"""

from __future__ import annotations

import re

from sidings.api.status import ApiError, BadRequest
from sidings.cli.errors import Refused
from sidings.cli.manifest import Document

# Texts of the API server (kubernetes v1.36): strict decoding, and a typed patch that the schema does not know.
_UNKNOWN_FIELD = re.compile(r'unknown field "([^"]+)"')
_NOT_DECLARED = re.compile(r"\.(\S+): field not declared in schema")


def of_document(document: Document, error: ApiError) -> Refused:
    """The refusal of ``document`` with the line of the field that ``error`` is about, and what to look at."""
    field = field_of(error)
    if undeclared := _NOT_DECLARED.search(error.message):
        # Apply answers 500 for an unknown field, where every other write answers 400; it is the manifest's error.
        error = BadRequest(f'unknown field "{undeclared.group(1)}"')
    if error.code == "NotFound":
        missing = error.kind == "namespaces"
        remedy = (
            f"kubectl create namespace {error.name}" if missing else "kubectl api-resources   (lists what is served)"
        )
    else:
        remedy = f"kubectl explain {explained(document, field)}" if field else ""
    return Refused(
        f"{document.title} was refused", cause=error.message, remedy=remedy, where=document.where(field), error=error
    )


def field_of(error: ApiError) -> str:
    """The path of the first field that the answer complains about, ``""`` where it names none."""
    for cause in error.causes:
        if cause.field and cause.field not in ("<nil>", "patch"):
            return cause.field
    for pattern in (_UNKNOWN_FIELD, _NOT_DECLARED):
        if match := pattern.search(error.message):
            return match.group(1)
    return ""


def explained(document: Document, field: str) -> str:
    """What `kubectl explain` takes: the path of the nearest enclosing field that a schema is likely to know."""
    steps = re.sub(r"\[[^\]]*\]", "", field).split(".")
    return ".".join([document.obj["kind"].lower(), *steps[:-1]])
