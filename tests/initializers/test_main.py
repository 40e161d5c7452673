"""A run of an initializer, from its environment to files and lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidings.initializers.main import run, wanted
from tests.initializers.source import source


def ran(kind: str, folder: Path, **environ: str) -> tuple[int, list[str]]:
    lines: list[str] = []
    return run([kind], environ, lines.append, folder), lines


def found(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_files_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "data" / "part").mkdir(parents=True)
    (tmp_path / "data" / "a.csv").write_text("1,2")
    (tmp_path / "data" / "part" / "b.csv").write_text("3,4")
    code, lines = ran("dataset", tmp_path / "ws", STORAGE_URI=f"file://{tmp_path}/data")
    assert (code, found(tmp_path / "ws")) == (0, ["dataset/a.csv", "dataset/part/b.csv"])
    assert lines[1] == "1/2 a.csv (3 B; 3 B so far)"
    assert lines[-1] == f"dataset is complete: 2 files in {tmp_path}/ws/dataset"


def test_the_controller_says_where_the_path_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "here.bin").write_bytes(b"x")
    code, _ = ran("model", tmp_path / "ws", STORAGE_URI="file:///there.bin", SOURCE_PATH=str(tmp_path / "here.bin"))
    assert (code, found(tmp_path / "ws")) == (0, ["model/here.bin"])


def test_model_of_the_hub(tmp_path: Path) -> None:
    files = {
        f"o/m/resolve/main/{name}": name.encode() for name in ("config.json", "w.safetensors", "w.bin", "README.md")
    }
    with source(files, token="secret") as hub:
        code, lines = ran("model", tmp_path, STORAGE_URI="hf://o/m", HF_ENDPOINT=hub.url, ACCESS_TOKEN="secret")
    assert (code, found(tmp_path)) == (0, ["model/config.json", "model/w.safetensors"])
    assert (tmp_path / "model" / "config.json").read_bytes() == b"config.json"
    assert lines[0] == f"fetching model hf://o/m into {tmp_path}/model"


def test_dataset_of_the_hub_in_a_folder_without_what_is_ignored(tmp_path: Path) -> None:
    files = {f"datasets/o/d/resolve/main/{name}": b"x" for name in ("data/a.parquet", "data/a.md", "other.parquet")}
    with source(files) as hub:
        code, _ = ran(
            "dataset", tmp_path, STORAGE_URI="hf://o/d/data", HF_ENDPOINT=hub.url, IGNORE_PATTERNS="*.md, *.txt"
        )
    assert (code, found(tmp_path)) == (0, ["dataset/data/a.parquet"])


def test_bucket(tmp_path: Path) -> None:
    files = {f"b/{key}": key.encode() for key in ("d/1.csv", "d/2.csv", "d/sub/3 x.csv", "d/", "dx", "e/4.csv")}
    with source(files, token="AWS4-HMAC-SHA256 Credential=key/") as s3:
        code, lines = ran(
            "dataset",
            tmp_path,
            STORAGE_URI="s3://b/d",
            ENDPOINT=s3.url,
            ACCESS_KEY_ID="key",
            SECRET_ACCESS_KEY="secret",
        )
    assert code == 0, lines
    assert found(tmp_path) == ["dataset/1.csv", "dataset/2.csv", "dataset/sub/3 x.csv"]


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    """After a restart of the pod; only what is incomplete is fetched again."""
    with source({"b/a": b"1234", "b/c": b"5"}) as s3:
        assert ran("dataset", tmp_path, STORAGE_URI="s3://b", ENDPOINT=s3.url)[0] == 0
        before = (tmp_path / "dataset" / "a").stat().st_mtime_ns
        (tmp_path / "dataset" / "c").write_bytes(b"")
        assert ran("dataset", tmp_path, STORAGE_URI="s3://b", ENDPOINT=s3.url)[0] == 0
    assert (tmp_path / "dataset" / "a").stat().st_mtime_ns == before
    assert (tmp_path / "dataset" / "c").read_bytes() == b"5"


@pytest.mark.parametrize(
    ("environ", "line"),
    [
        ({}, "error: STORAGE_URI environment variable must be set"),
        ({"STORAGE_URI": "gs://b/x"}, "error: Unsupported dataset storage URI scheme gs"),
        ({"STORAGE_URI": "hf://only"}, "error: hf://only names no repository"),
        ({"STORAGE_URI": "s3:///x"}, "error: s3:///x names no bucket"),
        ({"STORAGE_URI": "s3://b/x", "ROLE_ARN": "arn"}, "error: ROLE_ARN is not supported"),
        ({"STORAGE_URI": "file:///no/such"}, "error: file:///no/such is not there"),
        ({"STORAGE_URI": "file://host/x"}, "error: file://host/x names the machine host"),
    ],
)
def test_what_cannot_be_is_told(environ: dict[str, str], line: str, tmp_path: Path) -> None:
    code, lines = ran("dataset", tmp_path, **environ)
    assert code == 1
    assert line in lines


def test_a_closed_door_names_the_remedy(tmp_path: Path) -> None:
    with source({"o/m/resolve/main/config.json": b"{}"}, token="secret") as hub:
        code, lines = ran("model", tmp_path, STORAGE_URI="hf://o/m", HF_ENDPOINT=hub.url)
    assert code == 1
    assert lines[-2:] == [
        "cause: the server asks for a token",
        "fix: a Secret with ACCESS_TOKEN or keys in secretRef of the initializer",
    ]


def test_a_wrong_name_is_told(tmp_path: Path) -> None:
    with source({}) as hub:
        code, lines = ran("dataset", tmp_path, STORAGE_URI="s3://b/none", ENDPOINT=hub.url)
    assert (code, lines[-2:]) == (
        1,
        ["error: s3://b/none holds no object to fetch", "cause: 0 objects, none of them wanted"],
    )


def test_usage(tmp_path: Path) -> None:
    lines: list[str] = []
    assert run(["both"], {}, lines.append, tmp_path) == 1
    assert lines == ["error: usage: python -m sidings.initializers dataset|model"]


def test_lists_of_files_are_those_of_the_trainer() -> None:
    model = wanted("model", "hf", {})
    assert [model.takes(name) for name in ("a/b.safetensors", "x.gguf", "x.pth", "x.md")] == [True, True, False, False]
    assert wanted("dataset", "hf", {}).takes("x.md")
    assert not wanted("model", "hf", {"IGNORE_PATTERNS": "*.json"}).takes("config.json")


@pytest.mark.parametrize(
    ("kind", "environ"),
    [
        ("model", {"STORAGE_URI": "hf://o/m", "HF_ENDPOINT": "{url}/page"}),
        ("dataset", {"STORAGE_URI": "s3://b/d", "ENDPOINT": "{url}/page"}),
    ],
)
def test_a_server_that_is_something_else(tmp_path: Path, kind: str, environ: dict[str, str]) -> None:
    page = b"<html><p>Sign in"
    paths = ("page/api/models/o/m/revision/main", "page/b")
    with source(dict.fromkeys(paths, page), plain=True) as server:
        code, lines = ran(kind, tmp_path, **{name: value.format(url=server.url) for name, value in environ.items()})
    assert code == 1
    assert "does not answer as such a server does" in lines[-3]
    assert lines[-2:] == [
        "cause: the answer begins with: <html><p>Sign in",
        "fix: look at HF_ENDPOINT or ENDPOINT, and at the proxy between",
    ]


def test_an_endpoint_without_scheme(tmp_path: Path) -> None:
    code, lines = ran("dataset", tmp_path, STORAGE_URI="s3://b/d", ENDPOINT="//minio")
    assert (code, lines[-1]) == (1, "fix: http:// or https:// before HF_ENDPOINT or ENDPOINT")
