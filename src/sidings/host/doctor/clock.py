"""The machine's clocks: certificates and leases need the right day, training needs a cheap one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sidings.host.doctor.finding import Finding, ok, problem, warning

CHECK = "clock"
SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_SLOW = frozenset(("hpet", "acpi_pm", "jiffies", "refined-jiffies"))
"""Read by a system call that takes microseconds; all others are read in the process itself."""
_RELEASED = datetime(2026, 1, 1, tzinfo=UTC)


def examine(now: datetime, source: Path = SOURCE) -> Finding:
    if now < _RELEASED:
        return problem(
            CHECK, f"it is {now:%Y-%m-%d} here: certificates would not be valid", "sudo timedatectl set-ntp true"
        )
    name = source.read_text().strip() if source.exists() else ""
    if name in _SLOW:
        remedy = f"echo tsc | sudo tee {source}   (where the machine has it)"
        return warning(CHECK, f"clock source {name} is slow: every reading is a system call", remedy)
    return ok(CHECK, f"{now:%Y-%m-%d %H:%M} UTC" + (f", clock source {name}" if name else ""))
