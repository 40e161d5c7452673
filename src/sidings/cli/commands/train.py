"""``sidings train``: what helps a training script on its way to a cluster; so far, whether it resumes exactly."""

from __future__ import annotations

import argparse
import errno
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidings.cli.errors import ExitCode, UsageError
from sidings.cli.invocation import Invocation

if TYPE_CHECKING:
    from sidings.cli.console import Console
    from sidings.verify_resume.verification import Verdict

SUMMARY = "try out whether a training script resumes exactly"
DESCRIPTION = """
Tools for training scripts. They need torch in the Python of this program, and an engine where that is said.
"""
VERIFY_RESUME = """
Run SCRIPT under torchrun, once in peace and once interrupted at random steps (SIGTERM, SIGKILL of a rank or of all, a
torn checkpoint) and started again, and compare the loss of every step and the last checkpoint bit by bit. Exit code 0:
identical; 1: not, with the first step that differs. With checkpoints in a bucket (--checkpoints s3://BUCKET/PREFIX) its
requests fail for a while, too. With --engine the script is a JobSet of the running engine, a pod per rank, that is
suspended and resumed and whose pods are deleted.
The script runs in a folder of its own per run: arguments that name what exists here are taken here, {run} is the run's
folder, and --checkpoint-dir /PATH gets a folder per run. Losses: what sidings_train's TrainState.advance is given,
lines `STEP RANK LOSS` in the file $LOSS_LOG, or `step N loss X` on stdout.
"""
_USAGE = """\
sidings train verify-resume [--interruptions N] [--ranks R] [--engine] [--seed S] [-o {text,json}]
                            SCRIPT [-- ARG...]"""
_MOST = 1000


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, help="verify-resume")
    verify = verbs.add_parser(
        "verify-resume",
        help="interrupt a run and compare it with one in peace",
        usage=_USAGE,
        description=VERIFY_RESUME.strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_options(verify)
    verify.add_argument(
        "script",
        nargs=argparse.REMAINDER,
        action=_ScriptAndArguments,
        metavar="SCRIPT [-- ARG...]",
        help="a training script that resumes from its checkpoints, and its arguments",
    )


def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--interruptions", type=_count, default=5, metavar="N", help="how many (default: 5)")
    parser.add_argument("--ranks", type=_count, default=2, metavar="R", help="processes, or pods (default: 2)")
    parser.add_argument("--engine", action="store_true", help="as pods of the running engine, a JobSet per run")
    parser.add_argument("--seed", type=int, metavar="S", help="of the steps and manners; printed, to repeat a run")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text", help="json for programs")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST}")
    return int(text)


class _ScriptAndArguments(argparse.Action):
    """Options may follow the script, up to ``--``; argparse itself drops that mark or takes options for arguments."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        words = list(values or ())
        if not words or words[0].startswith("-"):
            parser.error("SCRIPT is missing")
        cut = words.index("--") if "--" in words else len(words)
        options = ArgumentParser(prog=parser.prog, usage=_USAGE)
        _add_options(options)
        _, unknown = options.parse_known_args(words[1:cut], namespace)
        if unknown:
            parser.error(f"unrecognized arguments: {' '.join(unknown)} (those of the script come after --)")
        namespace.script, namespace.arguments = words[0], words[cut + 1 :]


def run(args: Namespace, invocation: Invocation) -> int:
    import importlib.util
    import signal

    script = (invocation.cwd / args.script).resolve()
    if not script.is_file():
        what = "a folder" if script.is_dir() else "no such file"
        raise UsageError(f"{args.script}: {what}", remedy="sidings train verify-resume SCRIPT -- ARG...")
    if importlib.util.find_spec("torch") is None:
        raise UsageError("torch is not installed here", remedy="pip install 'sidings[train]'")
    seed = invocation.rng.randrange(2**32) if args.seed is None else args.seed
    invocation.console.say(f"seed {seed}")
    # Whoever ends this command means all that it started, as Ctrl-C does.
    usual = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    for number in usual:
        signal.signal(number, signal.default_int_handler)
    try:
        verdict = _verified(args, invocation, script, seed)
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)
    show(verdict, invocation.console, args.output)
    return ExitCode.OK if verdict.holds else ExitCode.FAILED


def _verified(args: Namespace, invocation: Invocation, script: Path, seed: int) -> Verdict:
    """The verdict. What the runs wrote stays where it may explain something; an interruption leaves nothing."""
    from sidings.cli import launchers
    from sidings.verify_resume.verification import Verification

    console, work = invocation.console, _work(invocation)
    verification: Verification | None = None
    is_kept = False
    try:
        with _explained(work), launchers.launched(args, invocation, script, work) as launcher:
            environ = launchers.environment(args, invocation)
            verification = Verification(
                launcher, script, args.arguments, args.ranks, invocation.cwd, work, environ, console.say
            )
            verdict = verification.run(args.interruptions, seed)
        is_kept = not verdict.holds
        return verdict
    except Exception:
        is_kept = any(path.is_file() for path in work.rglob("*"))
        raise
    finally:
        if is_kept:
            console.say(f"all output and checkpoints: {work}")
        elif verification:
            verification.clear()
        else:
            work.rmdir()


def _work(invocation: Invocation) -> Path:
    """A new folder for the runs."""
    import tempfile

    from sidings.verify_resume.errors import ELSEWHERE

    wanted = invocation.environ.get("TMPDIR")
    try:
        return Path(tempfile.mkdtemp(prefix="verify-resume-", dir=wanted and invocation.cwd / wanted))
    except OSError as error:
        raise UsageError(
            f"no folder can be made in {wanted or tempfile.gettempdir()}",
            cause=error.strerror or "",
            remedy=ELSEWHERE,
        ) from error


@contextmanager
def _explained(work: Path) -> Iterator[None]:
    """A disk without room for what this command writes itself is no bug of its."""
    from sidings.verify_resume.errors import ELSEWHERE, NoSpace

    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise NoSpace(
            f"the disk of {work} is full",
            cause="losses, output and checkpoints of both runs lie there",
            remedy=ELSEWHERE,
        ) from error


def show(verdict: Verdict, console: Console, form: str) -> None:
    """Print what came out, as ``text`` or ``json``."""
    from sidings.cli import output

    if form == "json":
        console.print(output.as_json(verdict.to_json()))
        return
    told = verdict.losses
    if told is None:
        console.print(f"losses: {verdict.steps} steps identical, {verdict.losses_compared} losses compared")
    else:
        whose = f"rank {told.rank}" if told.rank >= 0 else "as printed"
        where = f"start {told.attempt}" if told.attempt else "any start"
        console.print(f"losses: first difference at step {told.step} ({whose}): {told.uninterrupted}")
        console.print(f"        uninterrupted, {told.interrupted} in {where} of the interrupted run")
    if verdict.weights["difference"]:
        console.print(f"weights: first difference in {verdict.weights['difference']} of the last checkpoint")
    else:
        size = f"{verdict.weights['tensors']} tensors, {verdict.weights['bytes']:,} bytes"
        console.print(f"weights: last checkpoint identical, {size}")
    if len(verdict.made) < verdict.wanted:
        console.print(f"only {len(verdict.made)} of {verdict.wanted} interruptions: give the script more steps")
    if not verdict.is_repeatable:
        console.print("before any interruption: the script does not do the same twice; seed all that it draws from")
    if not verdict.gone_on:
        console.print(
            "no start went on from a checkpoint: each began anew or had nothing left to do, so no resuming was seen."
        )
        console.print("        Does the script load its newest checkpoint, and is the first one written early enough?")
    word = "identical" if verdict.holds else "not verified"
    console.print(f"{word} after {len(verdict.made)} interruptions (seed {verdict.seed})")
