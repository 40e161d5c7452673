"""Volumes: what a pod's ``spec.volumes`` become on this machine, one file per type.

Each type is a function from the volume (and what was read from the API) to content or to a directory;
``mounting.prepare`` puts them together for a pod. Sources are never resolved by a container's root: binds are made by
file descriptor, and a ``subPath`` is followed so that it cannot leave its volume (``sandbox/mounts.py``).
"""
