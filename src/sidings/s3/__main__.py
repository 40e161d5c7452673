"""``python -m sidings.s3 FOLDER``: serve it on a loopback port until stdin ends, which it does with the engine.

stdin's first line is ``{"port": P, "identifier": ..., "secret": ...}``: secrets on a command line could be read by all.
stdout gets the port in one line; port 0 takes any that is free.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path

from sidings.s3.app import App
from sidings.s3.buckets import Buckets
from sidings.s3.server import listen, serve
from sidings.s3.signature import Keys


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    told = json.loads(sys.stdin.readline())
    app = App(Buckets(Path(sys.argv[1])), Keys(told["identifier"], told["secret"]), lambda: datetime.now(UTC))
    listener = listen(told["port"])
    print(listener.getsockname()[1], flush=True)
    asyncio.run(serve(app, listener))


if __name__ == "__main__":
    main()
