"""Whom a report reaches beside stdout: Kubeflow's status server, and OpenShift AI's controller, which asks for it.

A thread posts, so that training never waits for a network; when reports come faster than they can be posted, the newest
is. A server that cannot be reached is one line on stderr, and training goes on.
"""

from __future__ import annotations

import json
import ssl
import sys
import threading
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sidings_train.progress.report import Report

_SERVER = "KUBEFLOW_TRAINER_SERVER_"
_TIMEOUT = 5.0  # seconds for one report
TERMINATION_MESSAGE = Path("/dev/termination-log")


class StatusServer:
    """Posts reports to ``url``; ``token`` is a file, read for every report because it is renewed."""

    def __init__(self, url: str, token: Path, authority: Path | None) -> None:
        self._url, self._token, self._authority = url, token, authority
        self._newest: Report | None = None
        self._closing = self._complained = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._thread.start()

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> StatusServer | None:
        """The one that the pod was told of; None without."""
        url, token = environ.get(f"{_SERVER}URL"), environ.get(f"{_SERVER}TOKEN")
        authority = environ.get(f"{_SERVER}CA_CERT")
        return cls(url, Path(token), Path(authority) if authority else None) if url and token else None

    def tell(self, report: Report) -> None:
        with self._changed:
            self._newest = report
            self._changed.notify()

    def close(self) -> None:
        """Wait until the newest report is posted."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._newest or self._closing)
                report, self._newest = self._newest, None
            if report is None:
                return
            self._post(report)

    def _post(self, report: Report) -> None:
        body = json.dumps(report.trainer_status(datetime.now(UTC))).encode()
        try:
            headers = {"Authorization": f"Bearer {self._token.read_text().strip()}", "Content-Type": "application/json"}
            request = urllib.request.Request(self._url, body, headers, method="POST")
            context = ssl.create_default_context(cafile=self._authority) if self._authority else None
            with urllib.request.urlopen(request, timeout=_TIMEOUT, context=context):
                pass
        except (OSError, HTTPException, ValueError) as error:  # of a file, the network, a server or a URL that is none
            if not self._complained:
                print(f"progress cannot be reported to {self._url}: {error}", file=sys.stderr, flush=True)
            self._complained = True


class Page:
    """Serves the newest report on ``port`` (0: a free one) of all addresses, at any path.

    OpenShift AI asks at 28080 unless ``trainer.opendatahub.io/metrics-port`` says otherwise. Where the port is taken,
    ``port`` is 0 and only the termination message is left.
    """

    def __init__(self, port: int) -> None:
        self._text = b"{}"
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = page._text
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: it is asked for again and again."""

        self._server: ThreadingHTTPServer | None = None
        self.port = 0
        try:
            self._server = ThreadingHTTPServer(("", port), Handler)
        except OSError as error:
            print(f"progress cannot be served at port {port}: {error}; training goes on", file=sys.stderr, flush=True)
            return
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, name="progression", daemon=True).start()

    def tell(self, report: Report) -> None:
        self._text = json.dumps(report.progression()).encode()

    def close(self, message: Path = TERMINATION_MESSAGE) -> None:
        """Stop serving. What was told last becomes the container's termination message, where there is such a file."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
        try:
            if message.is_file():
                message.write_bytes(self._text)
        except OSError as error:
            print(f"progress cannot be left behind: {error}", file=sys.stderr, flush=True)
