"""Pods from their images: podman or docker gives a container its root file system and process, and Sidings the rest.

Network, names, volumes, logs, sessions, probes and status are those of every other pod: the engine's containers run in
the namespaces of the pod's shim (docs/container-engines.md).
"""
