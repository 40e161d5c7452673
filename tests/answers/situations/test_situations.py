"""Situations that people reported, in small: what ``why`` says of each, and that the command it prints mends it.

``cases/`` has them by stage: ``source`` is the report, ``given`` the steps that lead there, ``containers`` what
programs do (``kubelet``), ``find`` the finding. The command is run by a shell with the real kubectl; after it (and
``patience`` seconds) the finding is gone and no error is left, but for the one that ``next`` names. Where only the
author of the job can mend it (``mends: false``) the command shows what he needs.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from sidings.answers.finding import Finding, Severity
from sidings.server import pki
from sidings.server.pki import Identity
from tests.answers.situations import world

Case = dict[str, Any]
CASES: dict[str, Case] = {
    f"{path.stem}/{case['name']}": case
    for path in sorted((Path(__file__).parent / "cases").glob("*.yaml"))
    for case in yaml.safe_load(path.read_text())
}
LEAST = 60


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Identity:
    """The certificates are real, and read by a real kubectl: they are of the machine's time."""
    return pki.ensure(tmp_path_factory.mktemp("situations") / "pki", datetime.now(UTC))


@pytest.mark.looptime
@pytest.mark.parametrize("name", CASES)
async def test_a_situation_is_found_and_mended(name: str, identity: Identity, tmp_path: Path) -> None:
    case = CASES[name]
    job, expected = case.get("ask", "j"), case["find"]
    async with world.living(tmp_path, identity, case.get("containers", ())) as here:
        await here.play(case["given"])
        answer = await here.why(job)
        found = next((each for each in answer.findings if each.code == expected["code"]), None)
        assert found is not None, f"{expected['code']} is not among {answer}"
        assert answer.findings[0].severity == found.severity, "the gravest comes first"
        for field in ("where", "what", "cause", "remedy"):
            for text in _texts(expected.get(field)):
                assert text in getattr(found, field)
        await here.run(found.remedy)
        await here.settle(case.get("patience", 0))
        left = (await here.why(job)).findings
        if not case.get("mends", True):
            return
        assert expected["code"] not in [each.code for each in left], left
        assert [each.code for each in left if each.severity is Severity.ERROR] == case.get("next", []), left


def _texts(expected: str | list[str] | None) -> list[str]:
    return [expected] if isinstance(expected, str) else expected or []


def test_there_are_many_and_each_has_its_source_and_its_numbers() -> None:
    assert sum(case.get("mends", True) for case in CASES.values()) >= LEAST
    for name, case in CASES.items():
        assert case["source"], name
        assert case["find"]["what"], name
        assert set(case["find"]) <= {"code", *Finding._fields}, name
    names = Counter(name.partition("/")[2] for name in CASES)
    assert [name for name, count in names.items() if count > 1] == []
