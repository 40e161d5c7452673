"""Kueue's configuration as admission sees it: read again only when its ConfigMap has changed."""

from __future__ import annotations

from sidings.api.kueue import configuration
from sidings.api.kueue.configuration import ConfigurationError
from sidings.api.kueue.management import Management
from sidings.api.resources import CONFIG_MAPS
from sidings.api.status import NotFound
from sidings.registry.admission.plugin import Reader


class KueueSettings:
    """A configuration that cannot be read changes nothing; the manager tells of it in an event."""

    def __init__(self) -> None:
        self._version = ""
        self._management = Management()

    def management(self, reader: Reader) -> Management:
        """Which jobs are managed now."""
        try:
            found = reader.get(CONFIG_MAPS, configuration.NAME, configuration.NAMESPACE)
        except NotFound:
            found = None
        version = found["metadata"]["resourceVersion"] if found else ""
        if version != self._version:
            self._version = version
            try:
                self._management = configuration.of_config_map(found).management
            except ConfigurationError:
                return self._management
        return self._management
