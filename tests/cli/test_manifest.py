import io
from pathlib import Path

import pytest

from sidings.cli.errors import ExitCode, ManifestError
from sidings.cli.manifest import Document, parse, read

TWO = """\
# a comment
apiVersion: v1
kind: Namespace
metadata:
  name: poc
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: granite
spec:
  trainer:
    numNodez: 2
    env:
      - name: A
        value: "1"
"""


def one(text: str) -> Document:
    [document] = parse(text, "job.yaml")
    return document


def refusal(text: str) -> ManifestError:
    with pytest.raises(ManifestError) as caught:
        list(parse(text, "job.yaml"))
    assert caught.value.exit_code is ExitCode.INVALID
    return caught.value


def test_several_documents_know_their_lines() -> None:
    namespace, job = parse(TWO, "job.yaml")
    assert (namespace.title, namespace.where()) == ('Namespace "poc"', "job.yaml:2")
    assert job.where() == "job.yaml:7"
    assert job.where("spec.trainer.numNodez") == "job.yaml:13  spec.trainer.numNodez"
    assert job.where("spec.trainer.env[0].value") == "job.yaml:16  spec.trainer.env[0].value"


def test_a_field_that_is_not_there_is_shown_at_the_one_that_should_hold_it() -> None:
    _, job = parse(TWO, "job.yaml")
    assert job.where("spec.trainer.env[0].valueFrom.fieldRef") == "job.yaml:15  spec.trainer.env[0].valueFrom.fieldRef"
    assert job.where("status") == "job.yaml:7  status"


def test_broken_yaml_names_line_and_column_and_shows_the_line() -> None:
    error = refusal("apiVersion: v1\nkind: Pod\nmetadata:\n  name: [x\nspec: {}\n")
    assert error.what == "job.yaml is not valid YAML"
    assert error.where.startswith("job.yaml:5:")
    assert error.where.endswith("|  spec: {}")


def test_a_tab_is_broken_yaml() -> None:
    assert refusal("kind: Pod\nmetadata:\n\tname: x\n").where.startswith("job.yaml:3:")


def test_a_key_given_twice_is_refused_with_both_lines() -> None:
    error = refusal("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  x: 1\n  x: 2\n")
    assert (error.where, "line 5" in error.cause) == ("job.yaml:6  spec", True)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("- a\n", "it is a list"),
        ("kind: Pod\nmetadata: {name: x}\n", "apiVersion not set"),
        ("just text\n", "it is a str"),
    ],
)
def test_what_is_no_object_is_refused(text: str, cause: str) -> None:
    assert cause in refusal(text).cause


def test_an_object_needs_a_name() -> None:
    assert "no name" in refusal("apiVersion: v1\nkind: Pod\nmetadata: {}\n").what
    assert one("apiVersion: v1\nkind: Pod\nmetadata: {generateName: x-}\n").title == 'Pod "x-..."'


def test_empty_documents_are_left_out() -> None:
    assert len(list(parse("---\n---\n# nothing\n---\n" + TWO, "job.yaml"))) == 2


def test_a_list_gives_its_items_with_their_lines() -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n"
    document = one(text)
    assert (document.title, document.where("metadata.name")) == ('Pod "a"', "job.yaml:7  metadata.name")


def test_values_are_read_by_the_rules_of_the_api_server() -> None:
    document = one("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {at: 2026-01-01, ratio: 1:30}\n")
    assert document.obj["data"] == {"at": "2026-01-01", "ratio": "1:30"}


def test_files_folders_and_stdin(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n")
    (tmp_path / "a.json").write_text('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}')
    (tmp_path / "notes.txt").write_text("not: read")
    stdin = io.StringIO("apiVersion: v1\nkind: Pod\nmetadata: {name: c}\n")
    found = read([str(tmp_path), "-"], stdin)
    assert [(d.obj["metadata"]["name"], Path(d.source).name) for d in found] == [
        ("a", "a.json"), ("b", "b.yaml"), ("c", "stdin"),
    ]  # fmt: skip


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_what_is_no_text_is_refused(tmp_path: Path, errors: str) -> None:
    """A program's stdin reads bytes that are no text strictly, or in the C locale as lone surrogates."""
    stdin = io.TextIOWrapper(io.BytesIO(b"a: \xff"), "utf-8", errors)
    with pytest.raises(ManifestError, match="cannot read stdin") as caught:
        read(["-"], stdin)
    assert caught.value.cause.startswith("not UTF-8 text")
    file = tmp_path / "model.yaml"
    file.write_bytes(b"a: \xff")
    with pytest.raises(ManifestError, match=r"cannot read .*model\.yaml"):
        read([str(file)], io.StringIO())


def test_a_missing_file_and_an_empty_one_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="cannot read"):
        read([str(tmp_path / "none.yaml")], io.StringIO())
    with pytest.raises(ManifestError, match="no objects in -"):
        read(["-"], io.StringIO("# nothing\n"))
