"""Kueue's configuration as admission sees it: read again only when its ConfigMap has changed."""

from __future__ import annotations

from sidings.api.kueue import configuration
from sidings.api.kueue.configuration import ConfigurationError
from sidings.api.kueue.management import Management
from sidings.api.objects import labels_of
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, Resource
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

    def covers(self, resource: Resource, namespace: str, reader: Reader) -> bool:
        """Whether jobs of this kind and in this namespace are managed."""
        management = self.management(reader)
        try:
            found = reader.get(NAMESPACES, namespace)
        except NotFound:
            return False
        return management.frameworks.hold(resource) and management.covers(labels_of(found))
