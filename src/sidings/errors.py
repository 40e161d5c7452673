"""The root of every error that Sidings raises on purpose.

::

    SidingsError                     has a stable code, a cause and (where one exists) a remedy
    ├── api.status.ApiError          an HTTP answer of a Kubernetes API: NotFound, Conflict, Invalid ...
    ├── store.errors.StoreError      the log cannot be opened or written: full disk, foreign owner, NFS
    ├── node.errors.NodeError        a sandbox cannot be made or a pod cannot be run
    ├── host.errors.HostError        the engine cannot start or stop: port taken, already running
    ├── verify_resume.errors.VerificationError  a training script that cannot be judged
    ├── client.errors.ClientError    no way to an API server: kubeconfig, credentials, nobody answers
    └── cli.errors.CliError          what a user typed cannot be done; carries the exit code

Each room draws its own branch at the top of its ``errors.py``. A user sees::

    error[CODE]: what happened, where
      cause: why
    help: the exact command that mends it
"""

from __future__ import annotations


class SidingsError(Exception):
    """An error with a stable ``code`` such as ``STORE_FULL``, a cause and a remedy.

    ``what`` says what happened and where (path, field, object). ``cause`` says why. ``remedy`` is the command or
    change that mends it; empty only where no command can.
    """

    code = "SIDINGS_ERROR"

    def __init__(self, what: str, *, cause: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.remedy = remedy
