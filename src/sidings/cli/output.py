"""Answers as tables for people, and as JSON, YAML or names for programs.

Tables look like kubectl's: upper-case headers, columns two or more spaces apart, no borders. A column that no row fills
is left out where the caller marks it as optional (REASON).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

GAP = "   "
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], *, optional: Collection[str] = (), width: int = 0
) -> list[str]:
    """Lines of a table. ``optional`` columns vanish where no row fills them; ``width`` > 0 cuts the last cell."""
    shown = [i for i, header in enumerate(headers) if header not in optional or any(row[i] for row in rows)]
    cells = [[headers[i] for i in shown], *([row[i] for i in shown] for row in rows)]
    widths = [max(_visible(row[i]) for row in cells) for i in range(len(shown))]
    lines = []
    for row in cells:
        padded = [cell + " " * (widths[i] - _visible(cell)) for i, cell in enumerate(row[:-1])]
        before = sum(widths[:-1]) + len(GAP) * (len(row) - 1)
        lines.append(GAP.join([*padded, _cut(row[-1], width - before if width else 0)]).rstrip())
    return lines


def _visible(cell: str) -> int:
    return len(_ESCAPE.sub("", cell))


def _cut(cell: str, room: int) -> str:
    """``cell`` in at most ``room`` characters; a room too small to say anything (or 0) leaves it whole."""
    return cell if room < 12 or _visible(cell) <= room else f"{cell[: room - 3]}..."


def as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def as_yaml(value: Any) -> str:
    import yaml

    return str(
        yaml.dump(
            value, sort_keys=False, allow_unicode=True, Dumper=getattr(yaml, "CSafeDumper", None) or yaml.SafeDumper
        )
    ).rstrip("\n")


def age(since: datetime, now: datetime) -> str:
    """How long ago, as kubectl prints it: ``45s``, ``3m12s``, ``2h5m``, ``3d``."""
    return duration(now - since)


def duration(span: timedelta) -> str:
    """At most two units, and only as fine as its length asks for (apimachinery ``duration.HumanDuration``)."""
    seconds = max(int(span.total_seconds()), 0)
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m" + (f"{seconds % 60}s" if seconds % 60 else "")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h" + (f"{minutes % 60}m" if minutes % 60 else "")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d" + (f"{hours % 24}h" if hours % 24 else "")
    if days < 730:
        return f"{days}d"
    return f"{days // 365}y"
