"""Lines of progress."""

import pytest

from sidings.initializers.progress import Progress, size_text


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB"), (3 << 50, "3072.0 TiB")]
)
def test_size(size: int, text: str) -> None:
    assert size_text(size) == text


def test_a_line_for_each_file() -> None:
    lines: list[str] = []
    progress = Progress(2, lines.append)
    progress.fetched("a", 1024)
    progress.fetched("b", 512)
    assert lines == ["1/2 a (1.0 KiB; 1.0 KiB so far)", "2/2 b (512 B; 1.5 KiB so far)"]
