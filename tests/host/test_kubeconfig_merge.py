import json
from pathlib import Path

import pytest
import yaml

from sidings.client import kubeconfig
from sidings.host.errors import Unmergeable
from sidings.host.kubeconfig_merge import merge

THEIRS = """\
apiVersion: v1
kind: Config
current-context: production
clusters:
- {name: prod, cluster: {server: https://prod:6443}}
- {name: sidings, cluster: {server: https://old:1}}
users:
- {name: me, user: {token: t}}
contexts:
- {name: production, context: {cluster: prod, user: me}}
extensions: []
"""


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    file = tmp_path / "engine"
    kubeconfig.write(file, server="https://127.0.0.1:7443", certificate_authority=b"CA", token="secret")
    return file


def test_the_context_is_added_and_the_current_one_stays(tmp_path: Path, ours: Path) -> None:
    file = tmp_path / "config"
    file.write_text(THEIRS)
    merge(file, ours)
    merge(file, ours)
    merged = yaml.safe_load(file.read_text())
    assert merged["current-context"] == "production"
    assert merged["extensions"] == []
    assert [entry["name"] for entry in merged["clusters"]] == ["prod", "sidings"]
    assert [entry["name"] for entry in merged["contexts"]] == ["production", "sidings"]
    assert kubeconfig.load([file], context="sidings").server == "https://127.0.0.1:7443"
    assert kubeconfig.load([file]).server == "https://prod:6443"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_not_there_is_made_without_a_current_context(tmp_path: Path, ours: Path) -> None:
    file = tmp_path / "kube" / "config"
    merge(file, ours)
    assert "current-context" not in yaml.safe_load(file.read_text())


@pytest.mark.parametrize("text", ["[", "- a list\n", "clusters: 3\n"])
def test_a_file_that_is_no_kubeconfig_stays_as_it_is(tmp_path: Path, ours: Path, text: str) -> None:
    file = tmp_path / "config"
    file.write_text(text)
    with pytest.raises(Unmergeable):
        merge(file, ours)
    assert file.read_text() == text


def test_the_engines_own_file_stays(tmp_path: Path, ours: Path) -> None:
    before = ours.read_text()
    merge(tmp_path / "config", ours)
    assert ours.read_text() == before
    assert json.loads(before)["current-context"] == "sidings"
