import pytest

from sidings.api.cel.named_formats import FORMATS
from sidings.api.cel.program import compiled
from sidings.api.cel.signatures import FORMATS as DECLARED


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("dns1123Label", "a-1", "A"),
        ("dns1123Subdomain", "a.b", "a..b"),
        ("dns1035Label", "a1", "1a"),
        ("qualifiedName", "a.b/c_D", "a/b/c"),
        ("dns1123LabelPrefix", "a-", "-a"),
        ("dns1123SubdomainPrefix", "a.b-", "a.-b-"),
        ("dns1035LabelPrefix", "a-", "1-"),
        ("labelValue", "", "a b"),
        ("uri", "https://h/p", "h"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
        ("byte", "aGk=", "*"),
        ("date", "2026-11-30", "30.11."),
        ("datetime", "2026-11-30T10:00:00Z", "2026-11-30"),
    ],
)
def test_formats(name, good, bad):
    for text, complains in ((good, False), (bad, True)):
        asked = f"format.{name}().validate(self).hasValue()"
        assert compiled(asked)({"self": text}) is complains, text
    assert compiled("format.named(self).value().validate('\\n').hasValue()")({"self": name}) is True


def test_all_that_are_declared_exist():
    assert set(DECLARED) == set(FORMATS)
    assert compiled("format.named('other').hasValue()")({}) is False
