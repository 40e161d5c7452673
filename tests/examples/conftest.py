"""The fraud example's modules, importable as they are in a pod: all in one folder."""

import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "fraud-detection"
sys.path.insert(0, str(EXAMPLE))
