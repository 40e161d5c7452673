import io
import os

from sidings.cli.console import Console
from sidings.cli.errors import CliError
from tests.cli.consoles import console, err, out


def test_data_and_everything_else_are_apart() -> None:
    it = console()
    it.print("data")
    it.say("hint")
    it.write(b"log \xff\n")
    assert (out(it), err(it)) == ("data\nlog \ufffd\n", "hint\n")


def test_hints_that_nobody_reads_stop_no_command() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as broken:
        it = Console(out=io.StringIO(), err=broken)
        it.say("first")
        it.say("second")


def test_colour_only_where_wanted() -> None:
    assert console().paint_state("Running") == "Running"
    assert console(colour=True).paint_state("Restarting(1/3)") == "\x1b[33mRestarting(1/3)\x1b[0m"


def test_an_error_says_what_where_why_and_how_to_mend_it() -> None:
    it = console()
    it.report(CliError("what", where="job.yaml:3  spec", cause="why", remedy="sidings up"))
    assert err(it) == "error[CLI_ERROR]: what\n  --> job.yaml:3  spec\n  cause: why\nhelp: sidings up\n"


def test_next_commands_are_aligned_and_plain_without_unicode() -> None:
    it = console()
    it.next_commands(("a", "first"), ("longer", "second"))
    assert err(it) == "  -> a       first\n  -> longer  second\n"
