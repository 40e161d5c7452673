"""``sidings up``: start the engine of this home."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from typing import TYPE_CHECKING

from sidings.cli.errors import ExitCode, UsageError
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from sidings.host.home import EngineRecord, Home
    from sidings.host.options import EngineOptions

SUMMARY = "start the engine and return when it is ready"
DESCRIPTION = """
Start the engine: API server, controllers and node agent, in the background. Prints one line to stdout:
`eval "$(sidings up)"` points kubectl at it. Options that are not given are those of the last `up`.
Pods go on when the engine is killed; the next `up` adopts them again.
"""


def configure(parser: ArgumentParser) -> None:
    nodes = parser.add_argument_group("nodes (slices of this machine)")
    nodes.add_argument("--nodes", type=int, metavar="N", help="how many (default: 1); 0: API and controllers only")
    nodes.add_argument("--cpu", metavar="QUANTITY", help="CPUs of each node (default: the machine's)")
    nodes.add_argument("--memory", metavar="QUANTITY", help="memory of each node (default: the machine's)")
    nodes.add_argument("--gpus-per-node", type=int, metavar="G", help="GPUs of each node (default: its share of all)")
    nodes.add_argument(
        "--simulate-gpus", action=BooleanOptionalAction, default=None, help="advertise GPUs that are not there"
    )
    nodes.add_argument(
        "--image",
        action="append",
        metavar="PATTERN=PREFIX",
        help="pods whose image matches PATTERN get the Python environment PREFIX (may be repeated)",
    )
    nodes.add_argument(
        "--runtime",
        choices=("sandbox", "podman", "docker"),
        help="what runs pods: this machine's software (default), or a container engine from their images",
    )
    nodes.add_argument(
        "--tier",
        choices=("auto", "namespaces", "nested", "host"),
        help="what keeps pods apart: the best that this machine allows (default: auto), or no more than this",
    )
    server = parser.add_argument_group("API server")
    server.add_argument("--port", type=int, metavar="PORT", help="its port (default: 7443, or any free one)")
    server.add_argument(
        "--kubeconfig", metavar="FILE", help="write the kubeconfig here, not to $SIDINGS_HOME/kubeconfig"
    )
    server.add_argument(
        "--scrape-token-file",
        metavar="FILE",
        help="a token for Prometheus, which opens /metrics alone; made if there is no such file",
    )
    server.add_argument(
        "--merge-kubeconfig",
        action="store_true",
        help="add a context `sidings` to your own kubeconfig; its current context stays",
    )
    server.add_argument(
        "--feature-gates",
        metavar="A=true,B=true",
        help="alpha behaviour: RestartJob, InPlaceRestart, ElasticJobSet, TrainJobStatus (default: all off)",
    )
    storage = parser.add_argument_group("object storage")
    storage.add_argument(
        "--s3",
        action=BooleanOptionalAction,
        default=None,
        help="an S3 server for pods: Service s3, keys in the Secret s3 of each namespace (default: none)",
    )
    storage.add_argument("--s3-folder", metavar="FOLDER", help="what it serves (default: $SIDINGS_HOME/s3)")
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="whose training runtimes there are: trainer-2.3 (default), rhoai-3.2 ... rhoai-3.5 (OpenShift AI)",
    )
    parser.add_argument(
        "--log-format", choices=("text", "json"), help="of the engine's log: for people or programs (default: text)"
    )
    parser.add_argument(
        "--systemd-unit", action="store_true", help="print a systemd user unit that runs this engine, and start nothing"
    )
    parser.add_argument("--foreground", action="store_true", help="stay, log to stderr, stop on Ctrl-C")


def run(args: Namespace, invocation: Invocation) -> int:
    from sidings.host import daemon, home

    here = home.locate(invocation.environ)
    if args.systemd_unit:
        return _print_unit(args, invocation, here)
    if record := here.running():
        return _already_running(args, invocation, here, record)
    options = daemon.remembered(here).with_given(given(args, invocation))
    if args.foreground:
        return _stay(args, invocation, here, options)
    return _start(args, invocation, here, options)


def given(args: Namespace, invocation: Invocation) -> dict[str, object]:
    """What was typed, by the names of ``EngineOptions``; None for what was not. Paths become absolute."""
    return {
        "nodes": args.nodes,
        "cpu": args.cpu,
        "memory": args.memory,
        "gpus_per_node": args.gpus_per_node,
        "simulate_gpus": args.simulate_gpus,
        "port": args.port,
        "feature_gates": args.feature_gates,
        "log_format": args.log_format,
        "profile": args.profile,
        "runtime": args.runtime,
        "s3": args.s3,
        "s3_folder": None if args.s3_folder is None else str((invocation.cwd / args.s3_folder).resolve()),
        "tier": args.tier,
        "kubeconfig": None if args.kubeconfig is None else _file("--kubeconfig", args.kubeconfig, invocation.cwd),
        "scrape_token_file": (
            None
            if args.scrape_token_file is None
            else _file("--scrape-token-file", args.scrape_token_file, invocation.cwd)
        ),
        "images": None if args.image is None else tuple(_image(text, invocation.cwd) for text in args.image),
    }


def _print_unit(args: Namespace, invocation: Invocation, here: Home) -> int:
    """The unit on stdout; on stderr what to do with it. The options become those of this home, as by `up` itself."""
    import sys
    from pathlib import Path

    from sidings.host import daemon, home, systemd

    options = daemon.remembered(here).with_given(given(args, invocation))
    daemon.remember(here, options)
    environment = {home.VARIABLE: str(here.path)}
    invocation.console.print(systemd.unit(systemd.program(Path(sys.executable)), (), environment).rstrip("\n"))
    invocation.console.next_commands(*systemd.commands())
    return ExitCode.OK


def _file(option: str, text: str, cwd: Path) -> str:
    file = (cwd / text).resolve()
    if not file.parent.is_dir() or file.is_dir():
        raise UsageError(f"{option} {text} cannot be written", cause=f"{file} is no file in a folder that exists")
    return str(file)


def _image(text: str, cwd: Path) -> tuple[str, str]:
    pattern, equals, prefix = text.partition("=")
    if not (pattern and equals and prefix):
        raise UsageError(
            f"--image {text} cannot be read", cause="it must be PATTERN=PREFIX", remedy="--image 'pytorch/*=/opt/venv'"
        )
    environment = cwd / prefix  # not resolved: a virtual environment is known by its own path
    if not (environment / "bin" / "python").exists():
        raise UsageError(
            f"--image {text} names no Python environment",
            cause=f"there is no {environment}/bin/python",
            remedy=f"python3 -m venv {environment}",
        )
    return pattern, str(environment)


def _already_running(args: Namespace, invocation: Invocation, here: Home, record: EngineRecord) -> int:
    """A second `up` is no error; but options that it was given are not in force, and it says so."""
    from sidings.host import daemon

    console = invocation.console
    console.say(f"the engine already runs: {record.server}, process {record.pid}, state in {here.path}")
    now = daemon.remembered(here)
    if now.with_given(given(args, invocation)) != now:
        console.say("it keeps the options that it was started with; to change them: sidings down, then this command")
    _tell_kubeconfig(args, invocation, record)
    return ExitCode.OK


def _start(args: Namespace, invocation: Invocation, here: Home, options: EngineOptions) -> int:
    from sidings.cli.progress import Progress
    from sidings.host import daemon, home, leftovers

    for concern in home.concerns(here):
        invocation.console.say(f"warning: {concern}")
    if leftovers.exist(here):
        pods = leftovers.living_pods(here)
        invocation.console.say(f"the engine before was killed; {pods} of its pods still run and are adopted")
    begun = invocation.clock.monotonic()
    with Progress(invocation.console) as progress:
        progress.show("starting the engine")
        record = daemon.start(here, options, progress.show)
    _tell_ready(invocation, here, options, record, invocation.clock.monotonic() - begun)
    _tell_kubeconfig(args, invocation, record)
    return ExitCode.OK


def _stay(args: Namespace, invocation: Invocation, here: Home, options: EngineOptions) -> int:
    from sidings.host import daemon

    begun = invocation.clock.monotonic()

    def ready(record: EngineRecord) -> None:
        _tell_ready(invocation, here, options, record, invocation.clock.monotonic() - begun)
        _tell_kubeconfig(args, invocation, record)

    daemon.run_in_foreground(here, options, invocation.console.say, ready)
    invocation.console.say("the engine has stopped")
    return ExitCode.OK


def _tell_ready(
    invocation: Invocation, here: Home, options: EngineOptions, record: EngineRecord, seconds: float
) -> None:
    console = invocation.console
    console.say(f"{console.paint(console.glyph('done'), 'green')} ready in {seconds:.1f} s: {record.server}")
    console.say(f"  {describe_nodes(options)}; state in {here.path}")
    if lesser := lesser_tier(here):
        console.say(f"  {console.paint('warning:', 'yellow')} {lesser}; what gives more: sidings doctor")
    console.next_commands(("sidings run -f job.yaml", "run a job"), ("sidings status", "nodes and jobs"))


def lesser_tier(here: Home) -> str:
    """What pods have not of their own on this machine; "" for full namespaces and for no nodes at all."""
    from sidings.node.sandbox import zygote
    from sidings.node.sandbox.tier import Kind

    tier = zygote.tier_in_force(here.nodes)
    return tier.message if tier is not None and tier.kind != Kind.NAMESPACES else ""


def describe_nodes(options: EngineOptions) -> str:
    """``2 nodes, each 8 cpu, 64Gi memory, 1 simulated GPU``."""
    from sidings.host import machine

    if not options.nodes:
        return "no nodes: API server and controllers only"
    gpus = options.gpus_per_node
    parts = [f"{options.cpu or machine.cpu()} cpu", f"{options.memory or machine.memory()} memory"]
    if gpus:
        parts.append(f"{gpus} {'simulated ' if options.simulate_gpus else ''}GPU{'s' * (gpus > 1)}")
    return f"{options.nodes} node{'s, each' if options.nodes > 1 else ':'} {', '.join(parts)}"


def _tell_kubeconfig(args: Namespace, invocation: Invocation, record: EngineRecord) -> None:
    import shlex
    from pathlib import Path

    from sidings.client.kubeconfig import default_paths
    from sidings.host import kubeconfig_merge

    if args.merge_kubeconfig:
        target = default_paths(invocation.environ)[0]
        kubeconfig_merge.merge(target, Path(record.kubeconfig))
        invocation.console.say(f'context "{kubeconfig_merge.NAME}" is in {target}; its current context was not changed')
    invocation.console.print(f"export KUBECONFIG={shlex.quote(record.kubeconfig)}")
