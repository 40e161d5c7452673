"""What a user typed cannot be done, and the exit code that says so to a script.

::

    SidingsError
    └── CliError              carries an exit code
        ├── UsageError 2          arguments that make no sense together
        ├── ManifestError 4       a file that cannot be read as Kubernetes objects; has file and line
        ├── Refused               the API server refused a manifest; has its code and exit code, file and line
        ├── JobNotFound 3         no job of that name
        ├── NoSuchRank 3          no pod of that rank, or none that has written a log
        ├── AlreadyFinished 4     `run` of a job that has run before
        ├── NotConvertible 4      `convert` of a job that has no successor
        ├── NotSuspendable 4      suspend or resume of a job that has finished or belongs to another
        ├── HeldByQueue 6         resume of a job that waits for quota, or has used up its time
        ├── TimedOut 7            the job did not end within --timeout
        └── Unexpected 1          a bug

``exit_code_of`` gives the code of every error that can reach the user, ours or another room's.
"""

from __future__ import annotations

from enum import IntEnum

from sidings.errors import SidingsError


class ExitCode(IntEnum):
    """Documented in docs/cli.md and tested; a script may rely on them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    INVALID = 4
    UNREACHABLE = 5
    NOT_ADMITTED = 6
    TIMED_OUT = 7
    INTERRUPTED = 130


class CliError(SidingsError):
    """``where`` is ``file:line  field.path`` where one can be named."""

    code = "CLI_ERROR"
    exit_code = ExitCode.FAILED

    def __init__(self, what: str, *, cause: str = "", remedy: str = "", where: str = "") -> None:
        super().__init__(what, cause=cause, remedy=remedy)
        self.where = where


class UsageError(CliError):
    code, exit_code = "USAGE", ExitCode.USAGE


class ManifestError(CliError):
    code, exit_code = "MANIFEST_INVALID", ExitCode.INVALID


class JobNotFound(CliError):
    code, exit_code = "JOB_NOT_FOUND", ExitCode.NOT_FOUND


class NoSuchRank(CliError):
    code, exit_code = "RANK_NOT_FOUND", ExitCode.NOT_FOUND


class AlreadyFinished(CliError):
    code, exit_code = "JOB_ALREADY_FINISHED", ExitCode.INVALID


class NotSuspendable(CliError):
    code, exit_code = "JOB_NOT_SUSPENDABLE", ExitCode.INVALID


class HeldByQueue(CliError):
    code, exit_code = "JOB_HELD_BY_QUEUE", ExitCode.NOT_ADMITTED


class NotConvertible(CliError):
    code, exit_code = "JOB_NOT_CONVERTIBLE", ExitCode.INVALID


class TimedOut(CliError):
    code, exit_code = "TIMED_OUT", ExitCode.TIMED_OUT


class Unexpected(CliError):
    """Anything that nobody raised on purpose."""

    code = "INTERNAL"


class Refused(CliError):
    """An ApiError about a manifest, with the place in the file; what kind of refusal it is stays the server's word."""

    code = "REFUSED"

    def __init__(self, what: str, *, cause: str, remedy: str, where: str, error: SidingsError) -> None:
        super().__init__(what, cause=cause, remedy=remedy, where=where)
        self.code = error.code
        self.exit_code = exit_code_of(error)


# Codes of other rooms that are not plain failures. By code and not by class, so that no room is imported for it.
_EXIT_CODES = {
    "NotFound": ExitCode.NOT_FOUND,
    "AlreadyExists": ExitCode.INVALID,
    "Conflict": ExitCode.INVALID,
    "Invalid": ExitCode.INVALID,
    "BadRequest": ExitCode.INVALID,
    "Forbidden": ExitCode.INVALID,
    "SERVER_UNREACHABLE": ExitCode.UNREACHABLE,
    "SERVER_UNTRUSTED": ExitCode.UNREACHABLE,
    "ServiceUnavailable": ExitCode.UNREACHABLE,
    "ENGINE_NOT_RUNNING": ExitCode.UNREACHABLE,
    "ENGINE_LOST": ExitCode.UNREACHABLE,
    "PODS_WAIT": ExitCode.TIMED_OUT,
    "JOBS_RUNNING": ExitCode.INVALID,
    "OPTION_INVALID": ExitCode.USAGE,
}


def exit_code_of(error: SidingsError) -> ExitCode:
    if isinstance(error, CliError):
        return error.exit_code
    return _EXIT_CODES.get(error.code, ExitCode.FAILED)
