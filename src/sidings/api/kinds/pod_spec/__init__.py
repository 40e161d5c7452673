"""The pod template: what a Pod and a Job have in common.

``default_pod_spec`` and ``validate_pod_spec`` are what ``pkg/apis/core/v1/defaults.go`` and
``pkg/apis/core/validation`` (Kubernetes v1.36) do to a ``PodSpec``; one module here for each part of it. Rules about
features that Sidings does not run (Windows, dynamic resources, user namespaces, CSI) are left out.
"""

from sidings.api.kinds.pod_spec.defaults import default_pod_spec
from sidings.api.kinds.pod_spec.validation import validate_pod_spec

__all__ = ["default_pod_spec", "validate_pod_spec"]
