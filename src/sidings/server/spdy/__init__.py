"""SPDY/3.1, as far as Kubernetes' clients still speak it: port-forward inside a WebSocket, and old kubectls' exec.

``frames`` are bytes, ``connection`` is the streams in them. There is no flow control and no priority, because the Go
library on the other side (moby/spdystream) has neither.
"""
