"""Every request is bounded: in bytes, in time to think, and in how long a client may leave a stream unread.

Figures are kube-apiserver's where it has them.
"""

from __future__ import annotations

BODY_BYTES = 3 * 1024 * 1024
"""``MaxRequestBodyBytes`` of kube-apiserver."""
MESSAGE_BYTES = 4 * 1024 * 1024
"""Of one message on a WebSocket. kubectl sends 32 KiB at a time, Python programs what they please."""
REQUEST_SECONDS = 60.0
"""For requests that are no streams (``--request-timeout``)."""
UNREAD_SECONDS = 30.0
"""A stream whose client reads nothing for so long is cut off; the client lists and watches again."""
WATCH_SECONDS = 1800.0
"""A watch without ``timeoutSeconds`` ends after between one and two times this (``--min-request-timeout``)."""
CONNECTIONS = 4096
"""At a time, and no more than half of the file descriptors of the process."""
HEAD_SECONDS = 30.0
"""From the first byte of a request, or from the connection, to the end of its headers (``IdleTimeout`` of 90 s aside,
kube-apiserver's ``ReadHeaderTimeout`` is 32 s)."""
KEEP_ALIVE_SECONDS = 120
"""Go's clients keep idle connections for 90 s; who closes first must be the client."""
