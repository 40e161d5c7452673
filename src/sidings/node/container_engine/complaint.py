"""What an engine's program says went wrong: the last error among progress and warnings. Pure."""

from __future__ import annotations

_PREFIXES = ("Error: ", "Error response from daemon: ", "docker: ")

_HINTS = ("See 'docker", "Run 'docker")


def complaint(text: str) -> str:
    """The error in what was written to stderr, without the program's own prefix."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(_HINTS)]
    found = next((line for line in reversed(lines) if line.startswith("Error")), lines[-1] if lines else "")
    for prefix in _PREFIXES:
        found = found.removeprefix(prefix)
    return found or "it gave no reason"
