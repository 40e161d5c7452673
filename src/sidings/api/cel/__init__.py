"""CEL, as Kubernetes has it in the rules of CustomResourceDefinitions.

``tokens`` and ``parser`` read an expression into a ``tree``. When a definition is written, ``checker`` gives every part
of it a type (``types`` from the schema, ``signatures`` for functions) and ``cost`` estimates the worst case; whoever
writes a rule that does not fit is told at once, as kube-apiserver tells it. When an object is written, ``program``
makes closures of the tree, ``values`` what they see of the object, and ``rules`` runs the ``x-kubernetes-validations``
of a schema. What functions do is in ``operations``, ``texts``, ``formatting``, ``units``, ``addresses``, ``calendar``,
``semver``, ``named_formats`` and ``optionals``.
"""
