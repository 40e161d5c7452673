"""Server-side apply: which manager owns which field of an object, and what follows from it.

A *field set* (``fieldset``) is a set of paths, written as FieldsV1. What counts as a field is the schema's decision
(``schema_shape``): an atomic list or map is one field, the elements of a keyed list are many. ``comparing`` says which
fields differ between two versions of an object, ``merging`` puts an applied configuration into the live object and
takes fields out of it, ``checking`` refuses configurations that do not fit the schema. On these stand ``managed``
(what every ordinary write does to the managers) and ``server_side`` (apply itself).

The model is that of ``sigs.k8s.io/structured-merge-diff`` (v6) and ``k8s.io/apimachinery/pkg/util/managedfields``
(v0.36). One thing is simpler here: a kind is served in one version, so sets need no conversion.
"""
