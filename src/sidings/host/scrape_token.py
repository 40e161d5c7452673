"""The token with which a monitoring system reads ``/metrics``, in a file that it reads too."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from sidings.host.errors import OptionInvalid


def ensure(file: Path) -> str:
    """The token in ``file``, made (for its owner's eyes) where there is no such file. Raises ``OptionInvalid``."""
    try:
        if not file.exists():
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as fresh:
                fresh.write(secrets.token_urlsafe(32) + "\n")
        token = file.read_text().strip()
    except OSError as error:
        raise OptionInvalid(f"--scrape-token-file {file} cannot be used", cause=error.strerror or str(error)) from error
    if not token:
        raise OptionInvalid(f"--scrape-token-file {file} holds no token", remedy=f"rm {file}   (up makes it anew)")
    return token
