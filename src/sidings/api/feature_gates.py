"""Feature gates: alpha behaviour that upstream has and keeps off, switched on by name.

Gates are a frozen set that is handed to whoever decides by them; there is no global table. Their names and their
default (off) are those of kubernetes-sigs/jobset after v0.12 and of Kubeflow Trainer 2.3 (pkg/features/features.go).
"""

from __future__ import annotations

from enum import StrEnum


class Gate(StrEnum):
    """Every gate there is."""

    RESTART_JOB = "RestartJob"
    """Failure policy actions that restart one Job of a JobSet and leave the others alone."""
    IN_PLACE_RESTART = "InPlaceRestart"
    """``restartStrategy: InPlaceRestart``: containers start again in their pods, all at one barrier."""
    ELASTIC_JOB_SET = "ElasticJobSet"
    """The pods of an Indexed replicated job may become more or fewer while it runs."""
    TRAIN_JOB_STATUS = "TrainJobStatus"
    """Pods of a TrainJob are told where to report their progress, which ``status.trainerStatus`` then shows."""


FeatureGates = frozenset[Gate]
NONE: FeatureGates = frozenset()
ALL: FeatureGates = frozenset(Gate)


def parse(text: str) -> FeatureGates:
    """The gates that ``A=true,B=false`` switches on; ``""`` is none. ValueError names what is wrong."""
    found: dict[Gate, bool] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, value = part.partition("=")
        if name not in set(Gate):
            raise ValueError(f"there is no gate {name}; there are {', '.join(sorted(Gate))}")
        if not separator or value.lower() not in ("true", "false"):
            raise ValueError(f"{name} is neither true nor false")
        found[Gate(name)] = value.lower() == "true"
    return frozenset(gate for gate, on in found.items() if on)
