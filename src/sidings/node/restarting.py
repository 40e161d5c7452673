"""Whether a container that ended is run again. Pure.

By the first of its own restartPolicyRules that fits its exit code, else its own restartPolicy, else the pod's:
``ContainerShouldRestart`` of ``pkg/api/v1/pod/util.go`` (v1.36, where these fields are beta and on).
"""

from __future__ import annotations

from sidings.api.objects import Object


def restart_policy(pod: Object, container: Object) -> str:
    """``Always``, ``OnFailure`` or ``Never``."""
    return str(container.get("restartPolicy") or pod["spec"].get("restartPolicy") or "Always")


def is_restarted(pod: Object, container: Object, exit_code: int, *, failed: bool) -> bool:
    """``failed`` where the container did, be it with exit code 0: it was ended for failing a probe."""
    if any(_fits(rule, exit_code) for rule in container.get("restartPolicyRules") or ()):
        return True
    policy = restart_policy(pod, container)
    return policy == "Always" or (policy == "OnFailure" and failed)


def _fits(rule: Object, exit_code: int) -> bool:
    codes = rule.get("exitCodes") or {}
    listed = exit_code in (codes.get("values") or ())
    return rule.get("action") == "Restart" and listed == (codes.get("operator") == "In")
