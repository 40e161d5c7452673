"""The engine's log, for people or for programs that collect logs.

JSON is one object a line in the shape of Kubernetes' own components (``--logging-format=json``): ``ts`` in milliseconds
since 1970, ``level``, ``logger``, ``msg``, and ``err`` with the traceback where there is one.
"""

from __future__ import annotations

import json
import logging

TEXT, JSON = "text", "json"
FORMATS = (TEXT, JSON)


def formatter(name: str) -> logging.Formatter:
    """The formatter of one of ``FORMATS``."""
    if name == JSON:
        return JsonFormatter()
    return logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")


class JsonFormatter(logging.Formatter):
    """One object a line, whatever is in the message."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "ts": round(record.created * 1000, 3),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": record.getMessage(),
        }
        if record.exc_info:
            told["err"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
