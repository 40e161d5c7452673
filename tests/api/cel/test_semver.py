from itertools import pairwise

import pytest

from sidings.api.cel import semver
from sidings.api.cel.errors import EvaluationError
from sidings.api.cel.program import compiled


def test_versions_are_ordered_as_semver_org_says():
    ascending = (
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1"
    )
    versions = [semver.read(text) for text in ascending.split()]
    assert all(low < high for low, high in pairwise(versions))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("semver('1.2.3').major() * 100 + semver('1.2.3').minor() * 10 + semver('1.2.3').patch()", 123),
        ("semver('1.2.3').isLessThan(semver('1.10.0')) && semver('2.0.0').isGreaterThan(semver('2.0.0-rc.1'))", True),
        ("semver('1.0.0').compareTo(semver('1.0.0+build'))", 0),
        ("isSemver('1.2.3') && !isSemver('v1.2.3') && !isSemver('1.2') && !isSemver('01.2.3')", True),
        ("isSemver('v1.2', true) && semver('v01.2', true) == semver('1.2.0')", True),
    ],
)
def test_functions(text, value):
    assert compiled(text)({}) == value


@pytest.mark.parametrize("text", ["semver('1.2')", "semver('1.2.3-01')", "semver(1)", "isSemver(1)", "major(1)"])
def test_what_is_no_version(text):
    with pytest.raises(EvaluationError):
        compiled(text)({})
