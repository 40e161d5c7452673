"""Pages that name things name things that exist."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/**/*.md"),
        *ROOT.glob("train/*.md"),
    ]
    if ".venv" not in page.parts
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub makes them: small letters, no punctuation, a dash for each space."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?://)([^)]+)\)", page.read_text()):
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_readme_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\((docs/[^)#]+)\)", (ROOT / "README.md").read_text()))
    assert linked == {str(page.relative_to(ROOT)) for page in ROOT.glob("docs/*.md")}


def test_every_dependency_has_its_reason() -> None:
    project = PROJECT["project"]
    wanted = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        wanted += extra
    names = {re.split(r"[\[<>=!~ ]", dependency)[0] for dependency in wanted}
    listed = set(re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs/dependencies.md").read_text(), re.MULTILINE))
    assert listed == names


def test_the_rooms_are_the_packages() -> None:
    table = (ROOT / "docs/architecture.md").read_text()
    rooms = set(re.findall(r"^\| `(\w+)/` \|", table, re.MULTILINE))
    packages = {path.parent.name for path in (ROOT / "src/sidings").glob("*/__init__.py")}
    assert rooms == packages
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert {name for layer in layers for name in re.findall(r"\w+", layer)} - {"clock", "errors"} == packages


def test_make_targets_in_pages_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        for target in re.findall(r"(?:^|`)make ([\w-]+)", page.read_text(), re.MULTILINE):
            assert target in targets, f"{page.name}: make {target}"


def test_modules_that_pages_name_exist() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        for name in re.findall(
            r"`((?:api|store|registry|client|server|controllers|queue|node|host|cli|answers)/[\w/]+)`", page.read_text()
        ):
            path = ROOT / "src/sidings" / name
            assert path.is_dir() or path.with_suffix(".py").is_file() or path.exists(), f"{page.name}: {name}"
