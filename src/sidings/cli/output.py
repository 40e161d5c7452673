"""Answers as tables for people, and as JSON, YAML or names for programs.

Tables look like kubectl's: upper-case headers, columns two or more spaces apart, no borders. A column that no row fills
is left out where the caller marks it as optional (REASON).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
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
    return len(_ESCAPE.sub("", cell) if "\x1b" in cell else cell)


def _cut(cell: str, room: int) -> str:
    """``cell`` in at most ``room`` characters; a room too small to say anything (or 0) leaves it whole."""
    return cell if room < 12 or _visible(cell) <= room else f"{cell[: room - 3]}..."


def as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def as_yaml(value: Any) -> str:
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True)).rstrip("\n")
