"""A simulation as an SVG: one band for each queue, one bar for each job that ran, red where it had to make room."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sidings.queue.summary import Interval

WIDTH, LEFT, ROW, GAP = 960, 160, 6, 14
_RUNS, _EVICTED = "#4878a8", "#c05850"


def svg(intervals: Sequence[Interval], makespan: float) -> str:
    """The picture; bars of a queue that overlap are on rows of their own."""
    scale = (WIDTH - LEFT - 20) / (makespan or 1.0)
    parts: list[str] = []
    top = 30
    for queue in sorted({interval.queue for interval in intervals}):
        rows = _rows([interval for interval in intervals if interval.queue == queue])
        parts.append(f'<text x="8" y="{top + 8}">{escape(queue)}</text>')
        for index, row in enumerate(rows):
            parts += [_bar(interval, scale, top + index * ROW) for interval in row]
        top += len(rows) * ROW + GAP
    axis = [
        f'<text x="{LEFT + makespan * scale * part / 4:.0f}" y="16">{makespan * part / 4:.0f} s</text>'
        for part in range(5)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" font-family="sans-serif" '
            'font-size="11">',
            *axis,
            *parts,
            "</svg>\n",
        ]
    )


def _rows(intervals: Sequence[Interval]) -> list[list[Interval]]:
    rows: list[list[Interval]] = []
    for interval in sorted(intervals, key=lambda it: (it.begin, it.job)):
        row = next((row for row in rows if row[-1].end <= interval.begin), None)
        if row is None:
            rows.append([interval])
        else:
            row.append(interval)
    return rows


def _bar(interval: Interval, scale: float, top: int) -> str:
    width = max((interval.end - interval.begin) * scale, 0.5)
    colour = _EVICTED if interval.evicted else _RUNS
    return (
        f'<rect x="{LEFT + interval.begin * scale:.1f}" y="{top}" width="{width:.1f}" height="{ROW - 1}" '
        f'fill="{colour}"><title>{escape(interval.job)}</title></rect>'
    )
