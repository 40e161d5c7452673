"""Play recordings of the real control plane: see ``command``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conformance.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
