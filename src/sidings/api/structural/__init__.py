"""What a structural schema means for an object: decoding with pruning, defaulting, validation.

``decode`` drops what the schema does not know and tells which fields those were (the registry turns them into an
error or a warning, as ``fieldValidation`` asks). ``default`` fills in what custom resources leave out. ``validate``
words its errors as ``k8s.io/apiextensions-apiserver`` (v0.36) does. All three walk ``node.Node``, a schema compiled
once; none knows a kind.

Built-in kinds only go through ``decode``: their defaults and rules are code upstream, and here too (``kind.Rules``).
"""

from sidings.api.structural.decoding import Decoded, decode
from sidings.api.structural.defaulting import default
from sidings.api.structural.validation import validate, validate_status

__all__ = ["Decoded", "decode", "default", "validate", "validate_status"]
