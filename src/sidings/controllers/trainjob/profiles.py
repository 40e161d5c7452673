"""Which runtimes come with the engine: Kubeflow Trainer's own, or those that a release of OpenShift AI ships.

A profile is a name for ``sidings up --profile``. TrainJobs refer to runtimes by name, so a manifest that was written
for one release runs here under that release's profile as it stands. Both generations of the TrainJob API are served
whatever the profile.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import yaml

from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES
from sidings.api.trainer import processes, words

DEFAULT = "trainer-2.3"
DEFAULT_VERSION = "v2.3.0"
_TRAINING_HUB = "training-hub"


class Profile(NamedTuple):
    """``version``: of the Trainer, as clients are told."""

    version: str
    runtimes: list[Object]


def names() -> list[str]:
    """Every profile, the default first."""
    return [DEFAULT, *_releases()]


def profile(name: str) -> Profile:
    """The profile ``name``, ``""`` for the default; raises ``KeyError`` for one that is not in :func:`names`."""
    if name in ("", DEFAULT):
        return Profile(DEFAULT_VERSION, _own_runtimes())
    release = _releases()[name]
    return Profile(release["trainer"], [_runtime(*each) for each in sorted(release["runtimes"].items())])


@cache
def _releases() -> dict[str, Any]:
    text = (resources.files(__package__) / "profiles.yaml").read_text(encoding="utf-8")
    releases: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return releases


def _own_runtimes() -> list[Object]:
    folder = resources.files(__package__) / "runtimes"
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".yaml")), key=lambda item: item.name)
    return [yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) for file in files]


def _runtime(name: str, image: str) -> Object:
    """A runtime of OpenShift AI, which speaks Trainer 2.1."""
    framework = _TRAINING_HUB if name.startswith(_TRAINING_HUB) else "torch"
    return {
        "apiVersion": CLUSTER_TRAINING_RUNTIMES.api_version,
        "kind": CLUSTER_TRAINING_RUNTIMES.kind,
        "metadata": {"name": name, "labels": {words.FRAMEWORK_LABEL: framework}},
        "spec": {
            "mlPolicy": {"numNodes": 1, "torch": {"numProcPerNode": processes.AUTO}},
            "template": {
                "spec": {
                    "replicatedJobs": [
                        {
                            "name": words.NODE,
                            "template": {
                                "metadata": {"labels": {words.ANCESTOR_LABEL: words.TRAINER}},
                                "spec": {"template": {"spec": {"containers": [{"name": words.NODE, "image": image}]}}},
                            },
                        }
                    ]
                }
            },
        },
    }
