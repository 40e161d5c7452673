"""An engine for real clients."""

from tests.e2e.conftest import machine as machine
