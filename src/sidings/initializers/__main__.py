"""``python -m sidings.initializers dataset|model``."""

import os
import sys

from sidings.initializers.main import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], os.environ, print))
