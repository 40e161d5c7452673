"""All plug-ins in their order, each asked once per phase."""

from __future__ import annotations

from collections.abc import Sequence

from sidings.registry.admission.plugin import Plugin, Reader, Request


def admit(plugins: Sequence[Plugin], request: Request, reader: Reader) -> None:
    for plugin in plugins:
        plugin.admit(request, reader)


def validate(plugins: Sequence[Plugin], request: Request, reader: Reader) -> None:
    for plugin in plugins:
        plugin.validate(request, reader)
