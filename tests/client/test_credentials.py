import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sidings.client.credentials import Credentials, run_plugin
from sidings.client.errors import CredentialError
from sidings.client.kubeconfig import ClientConfig, ExecPlugin
from sidings.clock import ManualClock

V1 = "client.authentication.k8s.io/v1"
HTTPS = "https://127.0.0.1:1"


def plugin(tmp_path: Path, script: str, **env: str) -> ExecPlugin:
    file = tmp_path / "plugin.py"
    file.write_text("import json, os, sys\n" + script)
    return ExecPlugin(V1, sys.executable, (str(file),), env)


COUNTING = """
from pathlib import Path
file = Path(os.environ["COUNTER"])
count = int(file.read_text()) + 1 if file.exists() else 1
file.write_text(str(count))
info = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
status = {"token": f"token-{count}"}
if os.environ.get("EXPIRES"):
    status["expirationTimestamp"] = os.environ["EXPIRES"]
print(json.dumps({"apiVersion": info["apiVersion"], "kind": info["kind"], "status": status}))
"""


@pytest.mark.parametrize(
    ("config", "header"),
    [
        (ClientConfig(HTTPS), ""),
        (ClientConfig(HTTPS, token="t"), "Bearer t"),
        (ClientConfig(HTTPS, username="ann", password="x"), "Basic YW5uOng="),
        (ClientConfig("http://127.0.0.1:1", token="t"), ""),
    ],
)
async def test_the_header(config: ClientConfig, header: str) -> None:
    assert await Credentials(config, ManualClock()).authorization() == header


async def test_a_token_file_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "token"
    credentials = Credentials(ClientConfig(HTTPS, token="old", token_file=file), ManualClock())
    with pytest.raises(CredentialError):
        await credentials.authorization()
    for token in ("a", "b"):
        file.write_text(token + "\n")
        assert await credentials.authorization() == f"Bearer {token}"


async def test_a_plugin_runs_once_until_it_is_refused(tmp_path: Path) -> None:
    config = ClientConfig(HTTPS, exec_plugin=plugin(tmp_path, COUNTING, COUNTER=str(tmp_path / "n")))
    credentials = Credentials(config, ManualClock())
    both = await asyncio.gather(credentials.authorization(), credentials.authorization())
    assert both == ["Bearer token-1", "Bearer token-1"]
    assert credentials.forget() is True
    assert await credentials.authorization() == "Bearer token-2"


async def test_a_plugin_runs_again_before_its_credential_expires(tmp_path: Path) -> None:
    expires = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
    made = plugin(tmp_path, COUNTING, COUNTER=str(tmp_path / "n"), EXPIRES=expires.isoformat())
    clock = ManualClock(expires - timedelta(seconds=60))
    credentials = Credentials(ClientConfig(HTTPS, exec_plugin=made), clock)
    assert await credentials.authorization() == "Bearer token-1"
    clock.advance(49)
    assert await credentials.authorization() == "Bearer token-1"
    clock.advance(1)
    assert await credentials.authorization() == "Bearer token-2"


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        ("print('no')", "Expecting value"),
        ("print('[]')", "get"),
        ("sys.exit('log in first')", "log in first"),
        (f"print(json.dumps(dict(kind='ExecCredential', apiVersion='{V1}')))", "neither token"),
        ("print(json.dumps(dict(kind='ExecCredential', apiVersion='v0')))", "v0"),
    ],
)
async def test_a_plugin_that_gives_nothing_says_why(tmp_path: Path, script: str, cause: str) -> None:
    with pytest.raises(CredentialError) as caught:
        await run_plugin(plugin(tmp_path, script))
    assert cause in caught.value.cause


async def test_a_plugin_that_is_not_there() -> None:
    with pytest.raises(CredentialError) as caught:
        await run_plugin(ExecPlugin(V1, "/nowhere/login", install_hint="pip install login"))
    assert caught.value.remedy == "pip install login"
    with pytest.raises(CredentialError, match="v0"):
        await run_plugin(ExecPlugin("v0", "login"))


async def test_an_authority_that_is_none() -> None:
    with pytest.raises(CredentialError):
        await Credentials(ClientConfig(HTTPS, certificate_authority=b"nonsense"), ManualClock()).tls()


async def test_connections_share_what_tls_needs() -> None:
    credentials = Credentials(ClientConfig(HTTPS), ManualClock())
    assert await credentials.tls() is await credentials.tls()
    assert await Credentials(ClientConfig("http://127.0.0.1:1"), ManualClock()).tls() is None
