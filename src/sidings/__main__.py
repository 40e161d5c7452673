"""``python -m sidings`` is the command line."""

import sys

from sidings.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
