"""The ASGI face of the registry: what a Kubernetes client sees.

``app.build_app`` composes it. A request passes ``auth`` (who is it), ``paths`` (which resource), ``negotiation`` (in
which form), ``bodies`` (what was sent) and ends in ``objects``, ``watch``, ``logs`` or a document of ``discovery`` and
``openapi_v3``. Whatever is raised on the way becomes a Status in ``errors``. ``serve`` runs the app on a TLS socket.
"""
