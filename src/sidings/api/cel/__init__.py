"""CEL, as far as the rules of CustomResourceDefinitions use it.

``tokens`` and ``parser`` read an expression into closures, ``operations`` holds what they do, ``rules`` runs the
``x-kubernetes-validations`` of a schema over an object. The subset is what the rules of Trainer, JobSet and Kueue are
made of, plus what Kubernetes adds for other people's (``texts``, ``units``, ``optionals``); anything else is refused
when the definition is written, so no rule is ever skipped in silence.
"""
