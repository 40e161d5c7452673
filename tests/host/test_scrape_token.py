from pathlib import Path

import pytest

from sidings.host import scrape_token
from sidings.host.errors import OptionInvalid


def test_a_token_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    token = scrape_token.ensure(file)
    assert len(token) > 30
    assert file.stat().st_mode & 0o777 == 0o600
    assert scrape_token.ensure(file) == token
    file.write_text("mine\n")
    assert scrape_token.ensure(file) == "mine"


def test_a_file_that_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionInvalid, match="cannot be used"):
        scrape_token.ensure(tmp_path / "missing" / "token")
    (tmp_path / "empty").touch()
    with pytest.raises(OptionInvalid, match="holds no token"):
        scrape_token.ensure(tmp_path / "empty")
