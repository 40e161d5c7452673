"""A server of files over HTTP that answers like the Hugging Face hub and like S3, on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

PAGE = 2
"""Objects in one page of a bucket's list."""


class Source(ThreadingHTTPServer):
    """``files`` by path; of a private one the ``token`` is asked for. ``failures`` answers are 503 before the rest.

    ``plain``: lists nothing, so that it is neither a hub nor a bucket.
    """

    def __init__(self, files: Mapping[str, bytes], token: str = "", failures: int = 0, plain: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = files
        self.token = token
        self.failures = failures
        self.plain = plain
        self.asked: list[str] = []
        self.signatures: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def source(files: Mapping[str, bytes], *, token: str = "", failures: int = 0, plain: bool = False) -> Iterator[Source]:
    with Source(files, token, failures, plain) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Source

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a test's output is its own."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        authorization = self.headers.get("Authorization") or ""
        self.server.signatures.append(authorization)
        if self.server.failures:
            self.server.failures -= 1
            self._answer(503, b"busy")
        elif self.server.token and self.server.token not in authorization:
            self._answer(401, b"")
        else:
            self._answer(*self._found())

    def _found(self) -> tuple[int, bytes]:
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query)
        if self.server.plain:
            return 200, self.server.files[path.lstrip("/")]
        if path.startswith("/api/"):
            repository = path.split("/revision/")[0].split("/", 3)[3]
            names = [name.split("/resolve/main/")[1] for name in self.server.files if repository in name]
            return 200, json.dumps({"siblings": [{"rfilename": name} for name in names]}).encode()
        if "list-type" in query:
            return 200, self._page(path.strip("/"), query)
        body = self.server.files.get(path.lstrip("/"))
        return (404, b"") if body is None else (200, body)

    def _page(self, bucket: str, query: Mapping[str, list[str]]) -> bytes:
        prefix, start = query.get("prefix", [""])[0], int(query.get("continuation-token", ["0"])[0])
        keys = sorted(name.removeprefix(f"{bucket}/") for name in self.server.files)
        keys = [key for key in keys if key.startswith(prefix)]
        rows = "".join(f"<Contents><Key>{key}</Key><Size>1</Size></Contents>" for key in keys[start : start + PAGE])
        more = f"<NextContinuationToken>{start + PAGE}</NextContinuationToken>" if start + PAGE < len(keys) else ""
        return f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{rows}{more}</ListBucketResult>'.encode()

    def _answer(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
