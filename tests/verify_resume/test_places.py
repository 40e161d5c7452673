"""Two runs of a script share what they read, never what they write."""

from __future__ import annotations

import os
from pathlib import Path

from sidings.verify_resume import places


def arguments(folder: Path, cwd: Path, *given: str) -> tuple[str, ...]:
    return places.of(folder, given, cwd, {}).arguments


def test_what_is_there_means_that_and_all_else_the_runs_own(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    given = ("--data-dir", "data", "--work=data", "--out", "results", "--epochs", "3", "--checkpoint-dir", "data")
    data = str(tmp_path / "data")
    wanted = ("--data-dir", data, f"--work={data}", "--out", "results", "--epochs", "3", "--checkpoint-dir", "data")
    assert arguments(tmp_path / "run", tmp_path, *given) == wanted


def test_an_absolute_checkpoint_folder_is_one_per_run(tmp_path: Path) -> None:
    for given in (("--checkpoint-dir", "/mnt/c"), ("--checkpoints=/mnt/c",), ("--output_dir", "/mnt/c")):
        place = places.of(tmp_path / "calm", given, tmp_path, {})
        assert place.arguments[-1].endswith("/mnt/c/calm")
        assert place.searched == (tmp_path / "calm", Path("/mnt/c/calm"))
    assert arguments(tmp_path / "run", tmp_path, "--checkpoint-every", "/mnt/c") == ("--checkpoint-every", "/mnt/c")


def test_the_mark_is_the_runs_folder(tmp_path: Path) -> None:
    assert arguments(tmp_path / "run", tmp_path, "--to", "{run}/c", "") == ("--to", f"{tmp_path}/run/c", "")


def written(path: Path, at: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    os.utime(path, (at, at))
    return path


def test_the_newest_checkpoint_is_a_file_or_the_folder_of_a_sharded_one(tmp_path: Path) -> None:
    place = places.of(tmp_path / "run", (), tmp_path, {})
    place.folder.mkdir()
    assert place.newest_checkpoint() is None
    newest = written(place.folder / "c" / "step-2.pt", 2)
    written(place.folder / "c" / "step-10.pt", 1)
    written(place.folder / "output-1.log", 9)
    assert place.newest_checkpoint() == newest
    piece = written(place.folder / "d" / "step-3" / "__0_0.distcp", 3)
    written(place.folder / "d" / "step-3" / ".metadata", 3)
    assert (place.newest_file(), place.newest_checkpoint()) == (piece, piece.parent)


def test_what_a_rank_writes_is_compared_with_what_the_same_rank_wrote(tmp_path: Path) -> None:
    calm, stormy = (
        places.of(tmp_path / name, ("--save-dir", str(tmp_path / "c")), tmp_path, {}) for name in ("a", "b")
    )
    for place, order in ((calm, (1, 2)), (stormy, (2, 1))):
        for rank, at in enumerate(order):
            written(place.searched[1] / f"rank{rank}.pt", at)
    last = calm.newest_checkpoint()
    assert last is not None
    assert last.name != getattr(stormy.newest_checkpoint(), "name", "")
    assert stormy.counterpart(last, calm) == stormy.searched[1] / last.name
    assert stormy.counterpart(written(calm.folder / "attempt-7f.pt", 3), calm) is None
