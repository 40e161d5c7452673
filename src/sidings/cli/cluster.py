"""Which API server a command talks to.

The embedded engine of this home, unless ``--context`` or ``--kubeconfig`` names another. The current context of the
user's kubeconfig is never followed: a command meant for a laptop must not land in production because of what somebody
did in another terminal.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.client.http import HttpClient
    from sidings.client.kubeconfig import ClientConfig


@dataclass(frozen=True)
class Cluster:
    """An open connection. ``namespace`` is where objects without one go, ``usual`` where a command without -n looks."""

    client: HttpClient
    namespace: str
    usual: str = "default"
    options: str = ""

    def flags(self, namespace: str | None = None) -> str:
        """What a follow-up command must repeat to look at ``namespace`` (default: this one's) of the same server."""
        wanted = self.namespace if namespace is None else namespace
        return (f" -n {wanted}" if wanted != self.usual else "") + self.options


def add_arguments(parser: ArgumentParser) -> None:
    """The options of every command that talks to an API server."""
    group = parser.add_argument_group("which cluster")
    group.add_argument("-n", "--namespace", default="", metavar="NAME", help="namespace (default: the context's)")
    group.add_argument(
        "--context", default="", metavar="NAME", help="a context of the kubeconfig, instead of the engine"
    )
    group.add_argument("--kubeconfig", default="", metavar="FILE", help="a kubeconfig, instead of the engine's own")


def config_of(args: Namespace, invocation: Invocation) -> ClientConfig:
    """The configuration that the arguments mean. Raises ``EngineNotRunning`` where they mean an engine that is not."""
    from sidings.client import kubeconfig

    if args.kubeconfig:
        return kubeconfig.load([Path(args.kubeconfig)], context=args.context, must_exist=True)
    if args.context:
        return kubeconfig.load(kubeconfig.default_paths(invocation.environ), context=args.context)
    from sidings.host import home

    return kubeconfig.load([Path(home.locate(invocation.environ).engine().kubeconfig)], must_exist=True)


@asynccontextmanager
async def connect(args: Namespace, invocation: Invocation) -> AsyncIterator[Cluster]:
    from sidings.client import server_warnings
    from sidings.client.http import HttpClient

    config, console = config_of(args, invocation), invocation.console
    warn = server_warnings.each_once(lambda text: console.say(f"{console.paint('warning:', 'yellow')} {text}"))
    async with HttpClient(config, invocation.clock, warn) as client:
        yield Cluster(client, args.namespace or config.namespace, config.namespace, options_of(args))


def options_of(args: Namespace) -> str:
    """The options that chose the server, as they were typed."""
    chosen = (("--context", args.context), ("--kubeconfig", args.kubeconfig))
    return "".join(f" {option} {value}" for option, value in chosen if value)
