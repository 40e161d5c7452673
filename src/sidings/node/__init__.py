"""The node agent: pods as sandboxed processes of this machine.

``agent.NodeAgent`` watches pods that are bound to its logical nodes, ``pod_worker`` lives one pod's life, ``pod_doors``
leads into pods and ``services`` to them, ``sandbox/`` makes the namespaces. ``sandbox/`` is stdlib only and runs in
processes of its own, which outlive the control plane.
"""
