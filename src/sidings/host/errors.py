"""What can go wrong in the life of an engine.

::

    SidingsError
    └── HostError
        ├── EngineNotRunning    ENGINE_NOT_RUNNING   no engine runs on this home
        ├── EngineFailed        ENGINE_FAILED        it ended before it was ready, its log says why
        ├── EngineStuck         ENGINE_STUCK         it neither became ready nor ended in time, or does not stop
        ├── PortTaken           PORT_TAKEN           another program listens on --port
        ├── OptionInvalid       OPTION_INVALID       an option of `up` that cannot be
        └── JobsRunning         JOBS_RUNNING         `down` would interrupt jobs

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
