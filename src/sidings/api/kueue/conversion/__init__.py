"""v1beta1 as a view of v1beta2, which is stored (apis/kueue/v1beta1/*_conversion.go, Kueue v0.19).

Each module has ``to_stored`` and ``from_stored`` of one kind. They take whole objects and parts of them, because a
patch in v1beta1's words goes the same way; what only one version has is left out in the other.
"""
