"""Sidings: the OpenShift AI / Kubeflow distributed-training stack on one Linux machine.

The rooms and their import direction are in ``docs/architecture.md`` and enforced by import-linter.
"""

__version__ = "0.1.0"
