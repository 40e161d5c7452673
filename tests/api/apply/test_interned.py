from sidings.api.apply.fieldset import FieldSet, field
from sidings.api.apply.interned import interned


def tree(*names: str) -> FieldSet:
    return FieldSet([(field("spec"), field(name)) for name in names])


def test_equal_fields_are_one_object() -> None:
    one, other = tree("a", "b").to_fields_v1(), tree("a", "b").to_fields_v1()
    assert one is not other
    assert interned(one) is interned(other)
    assert interned(one) == one


def test_the_order_of_fields_is_kept() -> None:
    assert list(interned(tree("b", "a").to_fields_v1())["f:spec"]) == ["f:b", "f:a"]


def test_operations_leave_what_is_shared_as_it_is() -> None:
    shared = FieldSet.of(interned(tree("a", "b").to_fields_v1()))
    assert (shared | tree("c")) == tree("a", "b", "c")
    assert (shared - tree("a")) == tree("b")
    assert interned(tree("a", "b").to_fields_v1()) == tree("a", "b").to_fields_v1()
