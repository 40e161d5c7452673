"""The composition root: the one room that knows all others and puts them together.

``control_plane`` is store, registry, client and controllers, in a test or on virtual time as well; ``engine`` adds the
API server and the node agent; ``daemon`` runs an engine as a process of its own for ``up`` and ``down``. Where state
lives is ``home``.
"""
