"""``/version``: which Kubernetes this server claims to be.

Google's kubectl package picks its binary by the minor version reported here, and kubectl warns when client and server
are more than one minor apart. So it is the version whose recorded behaviour we follow; our own goes behind the ``+``,
as vendors do.
"""

from __future__ import annotations

import platform

from sidings import __version__

MAJOR, MINOR, PATCH = "1", "36", "2"
GIT_VERSION = f"v{MAJOR}.{MINOR}.{PATCH}+sidings-{__version__}"

DOCUMENT = {
    "major": MAJOR,
    "minor": MINOR,
    "emulationMajor": MAJOR,
    "emulationMinor": MINOR,
    "minCompatibilityMajor": MAJOR,
    "minCompatibilityMinor": str(int(MINOR) - 1),
    "gitVersion": GIT_VERSION,
    "gitCommit": "",
    "gitTreeState": "",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "python",
    "platform": f"linux/{'arm64' if platform.machine() == 'aarch64' else 'amd64'}",
}
