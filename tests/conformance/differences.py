"""Writes the table of docs/differences.md from the rules of the replay: ``python -m tests.conformance.differences``."""

from __future__ import annotations

from pathlib import Path

from tests.conformance import traces
from tests.conformance.traces import Rule

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
BEGIN = "<!-- rules: written by `python -m tests.conformance.differences`, a test compares -->\n"
END = "<!-- end of rules -->\n"


def render(rules: list[Rule]) -> str:
    """One row a reason; rules with the same reason share it."""
    places: dict[str, list[str]] = {}
    for rule in rules:
        where = f"`{rule.kind}` `{rule.path.pattern}`"
        limits = " (not played)" if rule.skip else ""
        limits += f" from and to `{rule.values.pattern}`" if rule.values else ""
        limits += f" beside an event `{rule.beside.pattern}`" if rule.beside else ""
        places.setdefault(" ".join(rule.reason.split()), []).append(where + limits)
    rows = [f"| {'<br>'.join(where)} | {reason} |".replace("(Answer:)?", "") for reason, where in places.items()]
    return "| objects and fields (regular expressions) | reason |\n|---|---|\n" + "\n".join(map(_cell, rows)) + "\n"


def written(page: str, rules: list[Rule]) -> str:
    """``page`` with the table as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{render(rules)}\n{END}{after}"


def _cell(row: str) -> str:
    """A bar inside a code span would end the cell."""
    inner = row[2:-2].split(" | ")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in inner) + " |"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(), traces.load_rules()))
