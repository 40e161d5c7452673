from sidings.cli.progress import Progress
from tests.cli.consoles import console, err


def test_elsewhere_than_on_a_terminal_each_new_text_is_a_line() -> None:
    it = console()
    with Progress(it) as progress:
        progress.show("one")
        progress.show("one")
        progress.show("two")
        progress.keep("stays")
    assert err(it) == "one\ntwo\nstays\n"


def test_on_a_terminal_the_line_rewrites_itself_and_goes() -> None:
    it = console(live=True)
    with Progress(it) as progress:
        progress.show("one")
        progress.keep("stays")
        progress.show("two")
    assert err(it) == "\r\x1b[Kone\r\x1b[Kstays\n\r\x1b[Ktwo\r\x1b[K"
