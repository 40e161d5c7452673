"""S3's own errors, as clients read them: a code and a status (docs.aws.amazon.com, "Error responses")."""

from __future__ import annotations

_STATUS = {
    "AccessDenied": 403,
    "BucketAlreadyOwnedByYou": 409,
    "BucketNotEmpty": 409,
    "EntityTooLarge": 400,
    "IncompleteBody": 400,
    "InvalidAccessKeyId": 403,
    "InvalidArgument": 400,
    "InvalidBucketName": 400,
    "InvalidPart": 400,
    "InvalidRange": 416,
    "MalformedXML": 400,
    "NoSuchBucket": 404,
    "NoSuchKey": 404,
    "NoSuchUpload": 404,
    "NotImplemented": 501,
    "ObjectIsPrefix": 409,
    "PreconditionFailed": 412,
    "RequestTimeTooSkewed": 403,
    "SignatureDoesNotMatch": 403,
    "XAmzContentSHA256Mismatch": 400,
    "InsufficientStorage": 507,
}


class S3Error(Exception):
    """``code`` is one of S3's, except ``ObjectIsPrefix`` and ``InsufficientStorage``, which a folder needs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message, self.status = code, message, _STATUS[code]
