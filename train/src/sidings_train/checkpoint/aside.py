"""Work in a thread of its own, beside the training, whose end is that of the thread.

``concurrent.futures`` says that work is done while its thread still lets tensors go. An interpreter that ends at that
moment ends the thread in the middle of torch's destructors, and the process aborts (SIGABRT, "terminate called without
an active exception", torch 2.13): a training that is complete would look like one that failed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Aside(Generic[T]):
    """``work``, begun. It does not keep the process from ending: it may wait for a rank that is gone."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._future: Future[T] = Future()
        self._thread = threading.Thread(target=self._run, args=[work], name="sidings-checkpoint", daemon=True)
        self._thread.start()

    def done(self) -> bool:
        """Whether ``result`` would answer at once."""
        return self._future.done()

    def result(self) -> T:
        """What the work returned or raised, when its thread has ended."""
        self._thread.join()
        return self._future.result()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._future.set_result(work())
        except BaseException as error:  # of any kind: who waits for the result has to hear of it
            self._future.set_exception(error)
