"""What a Kubernetes API says when it says no: ``metav1.Status`` as exceptions.

::

    ApiError
    ├── BadRequest 400            body or query cannot be read
    ├── Unauthorized 401
    ├── Forbidden 403             admission refused it
    ├── NotFound 404
    ├── MethodNotAllowed 405
    ├── NotAcceptable 406
    ├── AlreadyExists 409         create of a name that is taken
    ├── Conflict 409              stale resourceVersion, failed precondition, apply conflict
    ├── Expired 410               resourceVersion or continue token too old
    ├── RequestEntityTooLarge 413
    ├── UnsupportedMediaType 415
    ├── Invalid 422               field errors, in ``causes``
    ├── TooManyRequests 429
    ├── InternalError 500
    ├── ServiceUnavailable 503
    └── Timeout 504               resourceVersion from the future

``to_status`` is what goes over the wire and ``from_status`` is what the client rebuilds from it, so code on either
side of HTTP catches the same classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from sidings.api.objects import Object
from sidings.errors import SidingsError


class Cause(NamedTuple):
    """One entry of ``details.causes``: ``reason`` such as ``FieldValueRequired``, ``field`` a path."""

    reason: str
    message: str
    field: str = ""


class ApiError(SidingsError):
    """A failed API request. Each class has the Status reason as its ``code`` too; ``http_status`` is the HTTP code."""

    http_status: ClassVar[int] = 500
    reason: str = "InternalError"
    """That of the class, but for an answer that came without one."""
    always_details: ClassVar[bool] = False
    """Upstream answers ``details`` even where there is nothing in them, for errors it makes from an HTTP code alone."""

    def __init__(
        self,
        message: str,
        *,
        name: str = "",
        group: str = "",
        kind: str = "",
        uid: str = "",
        causes: Sequence[Cause] = (),
        retry_after_seconds: int = 0,
        continue_: str = "",
    ) -> None:
        """``group`` and ``kind`` go into ``details``: kind is the plural for most errors, the Kind for Invalid.

        ``continue_`` is the token with which a list that expired can go on all the same.
        """
        super().__init__(message)
        self.message = message
        self.name = name
        self.group = group
        self.kind = kind
        self.uid = uid
        self.causes = tuple(causes)
        self.retry_after_seconds = retry_after_seconds
        self.continue_ = continue_

    def to_status(self) -> Object:
        details: dict[str, Any] = {}
        for key, value in (("name", self.name), ("group", self.group), ("kind", self.kind), ("uid", self.uid)):
            if value:
                details[key] = value
        if self.causes:
            details["causes"] = [
                {k: v for k, v in cause._asdict().items() if v or k != "field"} for cause in self.causes
            ]
        if self.retry_after_seconds:
            details["retryAfterSeconds"] = self.retry_after_seconds
        status: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {"continue": self.continue_} if self.continue_ else {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if details or self.always_details:
            status["details"] = details
        status["code"] = self.http_status
        return status


class BadRequest(ApiError):
    code, reason, http_status = "BadRequest", "BadRequest", 400


class Unauthorized(ApiError):
    code, reason, http_status = "Unauthorized", "Unauthorized", 401


class Forbidden(ApiError):
    code, reason, http_status = "Forbidden", "Forbidden", 403


class NotFound(ApiError):
    code, reason, http_status = "NotFound", "NotFound", 404
    always_details = True


class MethodNotAllowed(ApiError):
    code, reason, http_status = "MethodNotAllowed", "MethodNotAllowed", 405
    always_details = True


class NotAcceptable(ApiError):
    code, reason, http_status = "NotAcceptable", "NotAcceptable", 406
    always_details = True


class AlreadyExists(ApiError):
    code, reason, http_status = "AlreadyExists", "AlreadyExists", 409


class Conflict(ApiError):
    code, reason, http_status = "Conflict", "Conflict", 409


class Expired(ApiError):
    code, reason, http_status = "Expired", "Expired", 410


class RequestEntityTooLarge(ApiError):
    code, reason, http_status = "RequestEntityTooLarge", "RequestEntityTooLarge", 413


class UnsupportedMediaType(ApiError):
    code, reason, http_status = "UnsupportedMediaType", "UnsupportedMediaType", 415


class Invalid(ApiError):
    code, reason, http_status = "Invalid", "Invalid", 422
    always_details = True


class TooManyRequests(ApiError):
    code, reason, http_status = "TooManyRequests", "TooManyRequests", 429


class InternalError(ApiError):
    code, reason, http_status = "InternalError", "InternalError", 500


class UnexplainedError(ApiError):
    """A 500 without a reason, as the API server answers for errors that are not API errors of its own."""

    code, reason, http_status = "InternalError", "", 500


class ServiceUnavailable(ApiError):
    code, reason, http_status = "ServiceUnavailable", "ServiceUnavailable", 503


class Timeout(ApiError):
    code, reason, http_status = "Timeout", "Timeout", 504


_BY_REASON: dict[str, type[ApiError]] = {
    cls.reason: cls
    for cls in (
        BadRequest, Unauthorized, Forbidden, NotFound, MethodNotAllowed, NotAcceptable, AlreadyExists, Conflict,
        Expired, RequestEntityTooLarge, UnsupportedMediaType, Invalid, TooManyRequests, InternalError,
        ServiceUnavailable, Timeout,
    )
}  # fmt: skip
_BY_REASON["Gone"] = Expired
_BY_STATUS: dict[int, type[ApiError]] = {
    cls.http_status: cls for cls in _BY_REASON.values() if cls is not AlreadyExists
}


def from_status(status: Mapping[str, Any], http_status: int = 0) -> ApiError:
    """The exception for a ``Status`` body; ``http_status`` decides where the body has no known reason."""
    cls = _BY_REASON.get(str(status.get("reason") or "")) or _BY_STATUS.get(
        int(status.get("code") or http_status or 500), InternalError
    )
    details = status.get("details") or {}
    error = cls(
        str(status.get("message") or f"the server answered {http_status}"),
        name=str(details.get("name") or ""),
        group=str(details.get("group") or ""),
        kind=str(details.get("kind") or ""),
        uid=str(details.get("uid") or ""),
        causes=[
            Cause(str(c.get("reason") or ""), str(c.get("message") or ""), str(c.get("field") or ""))
            for c in details.get("causes") or ()
        ],
        retry_after_seconds=int(details.get("retryAfterSeconds") or 0),
        continue_=str((status.get("metadata") or {}).get("continue") or ""),
    )
    if status.get("kind") == "Status" and not status.get("reason"):
        error.reason = ""
    return error
