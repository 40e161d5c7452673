"""The S3 in the box as this machine's own programs reach it."""

from __future__ import annotations

from pathlib import Path

from sidings.host import object_storage
from sidings.host.home import Home


def test_from_here_it_is_the_servers_own_port_with_this_homes_keys(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert object_storage.from_here(home) == {}
    home.nodes.mkdir()
    (home.nodes / "s3-server.json").write_text('["127.0.0.1", 9123]')
    keys = object_storage.credentials(home)
    assert object_storage.from_here(home) == {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9123",
        "AWS_ACCESS_KEY_ID": keys.identifier,
        "AWS_SECRET_ACCESS_KEY": keys.secret,
        "AWS_DEFAULT_REGION": "us-east-1",
    }
