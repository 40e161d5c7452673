"""What can go wrong in the life of an engine.

::

    SidingsError
    └── HostError
        ├── EngineNotRunning    ENGINE_NOT_RUNNING   no engine runs on this home
        ├── EngineFailed        ENGINE_FAILED        it ended before it was ready, its log says why
        ├── EngineStuck         ENGINE_STUCK         it neither became ready nor ended in time, or does not stop
        ├── PortTaken           PORT_TAKEN           another program listens on --port
        ├── OptionInvalid       OPTION_INVALID       an option of `up` that cannot be
        ├── JobsRunning         JOBS_RUNNING         `down` would interrupt jobs
        ├── Unmergeable         KUBECONFIG_UNMERGEABLE  the user's kubeconfig cannot be added to
        └── ReportedError       an error of another room that the engine's process met; has that error's code

What is wrong with the state directory itself is a ``store.errors.StoreError``.
"""

from __future__ import annotations

from sidings.errors import SidingsError


class HostError(SidingsError):
    code = "HOST_ERROR"


class EngineNotRunning(HostError):
    code = "ENGINE_NOT_RUNNING"


class EngineFailed(HostError):
    code = "ENGINE_FAILED"


class EngineStuck(HostError):
    code = "ENGINE_STUCK"


class PortTaken(HostError):
    code = "PORT_TAKEN"


class OptionInvalid(HostError):
    code = "OPTION_INVALID"


class JobsRunning(HostError):
    code = "JOBS_RUNNING"


class Unmergeable(HostError):
    code = "KUBECONFIG_UNMERGEABLE"


class ReportedError(HostError):
    """``report`` is ``{code, what, cause, remedy}`` as it came from the engine's process."""

    def __init__(self, report: dict[str, str]) -> None:
        super().__init__(report["what"], cause=report["cause"], remedy=report["remedy"])
        self.code = report["code"]
