import pytest

from sidings.api.cel import tree
from sidings.api.cel.errors import CelSyntaxError, shown
from sidings.api.cel.parser import parsed
from sidings.api.cel.tree import Call, Fold, Literal, Name, Select


def test_every_construct_has_the_place_that_cel_go_points_to():
    places = {
        "a + b": 2,
        "!a": 0,
        "a.b": 1,
        "a[0]": 1,
        "f(a)": 1,
        "a.f(b)": 3,
        "has(a.b)": 3,
        "a ? b : c": 2,
        "a in b": 2,
        "a.all(x, x)": 5,
        "[1]": 0,
        "  a": 2,
    }
    assert {text: parsed(text).offset for text in places} == places


def test_operators_bind_as_in_cel():
    either = parsed("a || b && !c == d + e * f")
    assert isinstance(either, Call) and either.function == tree.OR
    both = either.arguments[1]
    assert isinstance(both, Call) and both.function == tree.AND
    equal = both.arguments[1]
    assert isinstance(equal, Call) and equal.function == "_==_"
    assert [node.function for node in equal.arguments if isinstance(node, Call)] == [tree.NOT, "_+_"]


def test_selections():
    asked = parsed("has(self.a__dash__b)")
    assert isinstance(asked, Select) and (asked.field, asked.asks) == ("a-b", True)
    guarded = parsed("self.?a")
    assert isinstance(guarded, Select) and guarded.optional


def test_macros_take_one_variable_or_two_and_some_a_condition():
    one, two, chosen = parsed("a.all(x, x)"), parsed("a.all(i, x, x)"), parsed("a.map(x, x > 1, x)")
    assert isinstance(one, Fold) and one.variables == ("x",)
    assert isinstance(two, Fold) and two.variables == ("i", "x")
    assert isinstance(chosen, Fold) and chosen.chosen is not None


def test_functions_with_a_name_before_the_dot_are_no_methods():
    call = parsed("sets.contains(a, b)")
    assert isinstance(call, Call) and (call.function, call.target) == ("sets.contains", None)
    method = parsed("sets.size()")
    assert isinstance(method, Call) and isinstance(method.target, Name)


def test_a_negative_number_is_a_literal():
    node = parsed("-9223372036854775808")
    assert isinstance(node, Literal) and node.value == -(1 << 63)


def test_names():
    text = "self.a == oldSelf.b ? [c, {d: e}] : f.all(g, has(g.h)) || i(j)"
    assert set(tree.names(parsed(text))) == {"self", "oldSelf", *"cdefgj"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "ERROR: <input>:1:1: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', "),
        ("1 +", "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', "),
        ("a b", "ERROR: <input>:1:3: Syntax error: mismatched input 'b' expecting <EOF>"),
        ("(1", "ERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting ')'"),
        ("self.", "ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting IDENTIFIER"),
        ("a # b", "ERROR: <input>:1:3: Syntax error: token recognition error at: '#'"),
        ("'x", "ERROR: <input>:1:1: Syntax error: token recognition error at: '''"),
        ("has(1)", "ERROR: <input>:1:4: invalid argument to has() macro"),
        ("x.all(1, true)", "ERROR: <input>:1:7: argument must be a simple name"),
        ("while", "ERROR: <input>:1:1: reserved identifier: while"),
        ("(" * 300, "ERROR: <input>:1:41: Syntax error: expression is nested too deeply"),
    ],
)
def test_what_cannot_be_read(text, complaint):
    with pytest.raises(CelSyntaxError) as refused:
        parsed(text)
    assert shown(text, [refused.value.issue]).startswith(complaint)


def test_a_pointer_shows_the_place():
    with pytest.raises(CelSyntaxError) as refused:
        parsed("true &&\n  (1 ]")
    assert shown("true &&\n  (1 ]", [refused.value.issue]) == (
        "ERROR: <input>:2:6: Syntax error: mismatched input ']' expecting ')'\n |   (1 ]\n | .....^"
    )
