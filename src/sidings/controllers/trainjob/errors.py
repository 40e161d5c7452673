"""Why a TrainJob cannot be built."""

from __future__ import annotations

from sidings.errors import SidingsError


class BuildError(SidingsError):
    """A TrainJob and its runtime do not make a JobSet; the text goes into the TrainJob's event."""

    code = "TRAINJOB_BUILD"
