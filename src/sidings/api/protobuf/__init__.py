"""Kubernetes' protobuf request bodies, decoded to the JSON that they stand for.

kubectl 1.32 and newer sends protobuf for every command that makes a typed object (``create namespace``, ``create job``,
``auth can-i``, ``create token``) and does not fall back to JSON when refused. Answers may stay JSON, so there is a
decoder only. It is driven by a table of field numbers (``table``); the wire format itself is in ``wire``.
"""

from sidings.api.protobuf.decoding import decode

__all__ = ["decode"]
