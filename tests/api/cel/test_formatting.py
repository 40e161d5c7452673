import pytest

from sidings.api.cel.errors import EvaluationError
from sidings.api.cel.program import compiled


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'%s is %d of %d'.format(['a', 1, 2])", "a is 1 of 2"),
        ("'%.2f %f %e'.format([1.005, 2, 12345.678])", "1.00 2.000000 1.234568e+04"),
        ("'%b %x %X %o'.format([5, 255, 255, 8])", "101 ff FF 10"),
        ("'%x %b'.format(['hi', true])", "6869 1"),
        ("'100%%'.format([])", "100%"),
        ("'%s %s %s'.format([true, null, 1.5])", "true null 1.5"),
        ("'%s'.format([['a', 'b']])", "[a, b]"),
        ("'%s'.format([{'b': 1, 'a': [true]}])", "{a: [true], b: 1}"),
        ("'%s'.format([duration('90m')])", "5400s"),
        ("'%s'.format([timestamp('2026-11-30T10:00:00Z')])", "2026-11-30T10:00:00Z"),
        ("'%s'.format([type(1)])", "int"),
        ("'%d'.format([3.0])", "3"),
        ("string(1.5) + string(true) + string(duration('1s'))", "1.5true1s"),
        ("string(bytes('a')) + string(ip('10.0.0.1')) + string(cidr('10.0.0.0/8'))", "a10.0.0.110.0.0.0/8"),
        (r"strings.quote('a\"b\n')", '"a\\"b\\n"'),
    ],
)
def test_texts_of_values(text, value):
    assert compiled(text)({}) == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("'%d'.format(['a'])", "decimal clause can only be used on integers, was given string"),
        ("'%f'.format([true])", "f clause can only be used on doubles, was given bool"),
        ("'%q'.format(['a'])", 'unrecognized formatting clause "q"'),
        ("'%s %s'.format(['a'])", "index 1 out of range"),
        ("'%s'.format('a')", "no such overload"),
        ("string([1])", "no such overload"),
    ],
)
def test_what_cannot_be_written(text, complaint):
    with pytest.raises(EvaluationError, match=complaint):
        compiled(text)({})
