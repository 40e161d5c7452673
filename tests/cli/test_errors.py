"""Every error that can reach a user has one documented exit code."""

import pytest

from sidings.api.status import Conflict, Forbidden, InternalError, Invalid, NotFound
from sidings.cli.errors import ExitCode, exit_code_of
from sidings.client.errors import ServerUnreachable, ServerUntrusted
from sidings.errors import SidingsError
from sidings.host.errors import EngineNotRunning, JobsRunning


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("x"), ExitCode.NOT_FOUND),
        (Conflict("x"), ExitCode.INVALID),
        (Invalid("x"), ExitCode.INVALID),
        (Forbidden("x"), ExitCode.INVALID),
        (InternalError("x"), ExitCode.FAILED),
        (ServerUnreachable("x"), ExitCode.UNREACHABLE),
        (ServerUntrusted("x"), ExitCode.UNREACHABLE),
        (EngineNotRunning("x"), ExitCode.UNREACHABLE),
        (JobsRunning("x"), ExitCode.INVALID),
        (SidingsError("x"), ExitCode.FAILED),
    ],
)
def test_exit_codes_of_other_rooms_errors(error: SidingsError, code: ExitCode) -> None:
    assert exit_code_of(error) is code
