"""How everybody but the server reaches objects: one interface, two transports.

``interface.Client`` is the interface. ``local.LocalClient`` hands calls to a registry in the same process and is what
controllers, queue and nodes get; ``http.HttpClient`` speaks to any API server named by a kubeconfig and is what the
CLI uses, embedded engine and real cluster alike.
"""
