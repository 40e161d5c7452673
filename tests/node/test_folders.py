from pathlib import Path

from sidings.node import folders


def test_what_nobody_may_enter_goes_too_and_what_is_elsewhere_stays(tmp_path: Path) -> None:
    """Root may enter everything: the test says the most where it runs as an ordinary user."""
    elsewhere, pod = tmp_path / "elsewhere", tmp_path / "pod"
    elsewhere.mkdir(mode=0o750)
    below = pod / "closed" / "below"
    below.mkdir(parents=True)
    (below / "file").touch()
    (pod / "closed" / "link").symlink_to(elsewhere)
    for folder in (below, below.parent, pod):
        folder.chmod(0)
    folders.remove(pod)
    assert list(tmp_path.iterdir()) == [elsewhere]
    assert elsewhere.stat().st_mode & 0o777 == 0o750
    folders.remove(pod)
