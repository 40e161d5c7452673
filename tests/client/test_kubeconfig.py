import base64
import json
from pathlib import Path

import pytest

from sidings.client import kubeconfig
from sidings.client.errors import KubeconfigError
from sidings.client.kubeconfig import ClientConfig, ExecPlugin


def config_file(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


ONE = """
apiVersion: v1
kind: Config
current-context: prod
clusters:
- name: c
  cluster: {server: "https://one:6443/", certificate-authority: pki/ca.pem, tls-server-name: api}
users:
- name: u
  user: {token: t1}
contexts:
- name: prod
  context: {cluster: c, user: u, namespace: team}
- name: bare
  context: {cluster: c}
"""

TWO = """
current-context: other
clusters:
- name: c
  cluster: {server: "https://two"}
- name: d
  cluster: {server: "https://d"}
users:
- name: v
  user: {username: ann, password: secret}
contexts:
- name: other
  context: {cluster: d, user: v}
"""


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    kubeconfig.write(path, server="https://127.0.0.1:6443", certificate_authority=b"PEM", token="secret")
    assert path.stat().st_mode & 0o777 == 0o600
    assert kubeconfig.load([path]) == ClientConfig(
        "https://127.0.0.1:6443", context="sidings", certificate_authority=b"PEM", token="secret"
    )
    kubeconfig.write(path, server="https://127.0.0.1:1", certificate_authority=b"", token="", namespace="team")
    assert kubeconfig.load([path]).server == "https://127.0.0.1:1"
    assert [file.name for file in tmp_path.iterdir()] == ["kubeconfig"]


def test_our_own_file_needs_no_yaml_parser(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    kubeconfig.write(path, server="https://x", certificate_authority=b"", token="t")
    assert json.loads(path.read_text())["current-context"] == "sidings"


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    path = config_file(tmp_path / "one", ONE)
    config_file(tmp_path / "pki/ca.pem", "PEM")
    assert kubeconfig.load([path]) == ClientConfig(
        "https://one:6443",
        context="prod",
        namespace="team",
        certificate_authority=b"PEM",
        tls_server_name="api",
        token="t1",
    )


def test_of_several_files_the_first_that_says_something_wins(tmp_path: Path) -> None:
    paths = [tmp_path / "missing", config_file(tmp_path / "two", TWO), config_file(tmp_path / "one", ONE)]
    assert kubeconfig.load(paths) == ClientConfig("https://d", context="other", username="ann", password="secret")
    assert kubeconfig.load(paths, context="prod").server == "https://two"


def test_a_context_without_a_user(tmp_path: Path) -> None:
    config_file(tmp_path / "pki/ca.pem", "PEM")
    config = kubeconfig.load([config_file(tmp_path / "one", ONE)], context="bare")
    assert (config.token, config.namespace) == ("", "default")


def test_inline_data_wins_over_files(tmp_path: Path) -> None:
    data = base64.b64encode(b"CERT").decode()
    text = f"""
clusters: [{{name: c, cluster: {{server: "https://c"}}}}]
users: [{{name: u, user: {{client-certificate-data: {data}, client-certificate: nowhere, client-key: key.pem}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
"""
    config_file(tmp_path / "key.pem", "KEY")
    config = kubeconfig.load([config_file(tmp_path / "f", text)], context="x")
    assert (config.client_certificate, config.client_key) == (b"CERT", b"KEY")


def test_exec_plugins(tmp_path: Path) -> None:
    text = """
clusters: [{name: c, cluster: {server: "https://c"}}]
users:
- name: u
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: bin/login, args: [a, 1], env: [{name: A, value: b}]}
contexts: [{name: x, context: {cluster: c, user: u}}]
"""
    config = kubeconfig.load([config_file(tmp_path / "f", text)], context="x")
    assert config.exec_plugin == ExecPlugin(
        "client.authentication.k8s.io/v1", str(tmp_path / "bin/login"), ("a", "1"), {"A": "b"}
    )


def test_default_paths() -> None:
    assert kubeconfig.default_paths({"KUBECONFIG": "/a::/b"}) == [Path("/a"), Path("/b")]
    assert kubeconfig.default_paths({"HOME": "/home/ann"}) == [Path("/home/ann/.kube/config")]


def test_nothing_there_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError) as caught:
        kubeconfig.load([tmp_path / "none"])
    assert caught.value.remedy == "sidings up"
    with pytest.raises(KubeconfigError, match="cannot read"):
        kubeconfig.load([tmp_path / "none"], must_exist=True)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[]", "it holds a list"),
        ("a: [", "line 2"),
        ("contexts: [{name: a, context: {}}]", "current-context is not set"),
        ("current-context: b\ncontexts: [{name: a, context: {}}]", "contexts there: a"),
        ("current-context: a\ncontexts: [{name: a, context: {cluster: c}}]", "clusters there: none"),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c, cluster: {}}]",
            'server is "", not https://HOST:PORT',
        ),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://s', certificate-authority-data: '*'}}]",
            "",
        ),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://s', certificate-authority: gone.pem}}]",
            "No such file",
        ),
    ],
)
def test_a_broken_file_says_why(tmp_path: Path, text: str, cause: str) -> None:
    with pytest.raises(KubeconfigError) as caught:
        kubeconfig.load([config_file(tmp_path / "f", text)])
    assert cause in caught.value.cause
