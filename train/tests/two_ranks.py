"""Two real processes for tests that need two ranks.

To import torch takes longer than most of these tests, so the processes stay and are told what to run: a function, by
file and name, with the environment that torchrun would give. What it returns, prints or raises comes back.
"""

from __future__ import annotations

import base64
import faulthandler
import importlib.util
import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any

DEADLINE = 240.0  # seconds, the import of torch on a very busy machine included


@dataclass
class Outcome:
    """What one rank did. ``error`` is its exception, if it raised one."""

    value: Any
    printed: str
    error: BaseException | None

    @property
    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


class Pair:
    """The processes of ranks 0 and 1. One that has died is replaced before the next call."""

    def __init__(self) -> None:
        self._processes = [_begin(), _begin()]

    def run(self, function: Callable[..., Any], *arguments: Any, ranks: int = 2, **env: str) -> list[Outcome]:
        """``function(*arguments)`` on each of ``ranks`` processes at once; their outcomes by rank."""
        self._processes = [old if old.poll() is None else _begin() for old in self._processes]
        with free_port() as port:
            return self._run(function, arguments, ranks, port, env)

    def _run(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], ranks: int, port: int, env: dict[str, str]
    ) -> list[Outcome]:
        for rank, process in enumerate(self._processes[:ranks]):
            place = {
                "RANK": rank,
                "LOCAL_RANK": rank,
                "LOCAL_WORLD_SIZE": ranks,
                "WORLD_SIZE": ranks,
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": port,
            }
            environment = {name: str(value) for name, value in place.items()} | env
            order = pickle.dumps((function.__code__.co_filename, function.__name__, arguments, environment))
            assert process.stdin
            process.stdin.write(base64.b64encode(order) + b"\n")
            process.stdin.flush()
        return [self._outcome(process) for process in self._processes[:ranks]]

    def _outcome(self, process: subprocess.Popen[bytes]) -> Outcome:
        assert process.stdout
        with DefaultSelector() as selector:
            selector.register(process.stdout, EVENT_READ)
            if not selector.select(DEADLINE):
                for stuck in self._processes:
                    stuck.send_signal(signal.SIGABRT)  # says on stderr where it stands
                    stuck.wait()
                self.close()
                raise TimeoutError(f"no answer within {DEADLINE:g} s")
        line = process.stdout.readline()
        if not line:
            return Outcome(None, "", ChildProcessError(f"the process ended with {process.wait()}"))
        return Outcome(*pickle.loads(base64.b64decode(line)))

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()


def _begin() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[2],
    )


@contextmanager
def free_port() -> Iterator[int]:
    """A port of this machine that nobody has, and that the kernel gives to nobody while the block lasts.

    It is bound and not listened at: servers that reuse addresses (torch's store, Python's) may take it all the same.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


def _serve() -> None:
    """The process: orders on stdin, outcomes on what was stdout; the function's own output is caught."""
    faulthandler.enable()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        file, name, arguments, environment = pickle.loads(base64.b64decode(line))
        os.environ.update(environment)
        printed, value, error = io.StringIO(), None, None
        with redirect_stdout(printed), redirect_stderr(printed):
            try:
                value = getattr(_module(file), name)(*arguments)
            except BaseException as raised:
                error = _portable(raised)
                printed.write("".join(traceback.format_exception(raised)))
        for variable in environment:
            del os.environ[variable]
        _forget_the_group()
        answers.write(base64.b64encode(pickle.dumps((value, printed.getvalue(), error))) + b"\n")
        answers.flush()


def _module(file: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"ranks_{Path(file).stem}", file)
    assert spec and spec.loader
    module = sys.modules.setdefault(spec.name, importlib.util.module_from_spec(spec))
    spec.loader.exec_module(module)
    return module


def _portable(error: BaseException) -> BaseException:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _forget_the_group() -> None:
    """A function that raised leaves its process group behind, as a script would that ends."""
    import torch.distributed as dist

    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    import torch  # noqa: F401  # now, not in the first test

    _serve()
