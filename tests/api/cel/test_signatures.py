from sidings.api.cel.signatures import overloads, qualified, types_of


def test_a_line_of_the_table_is_one_overload_for_each_type():
    assert [[str(operand) for operand in each.operands] for each in overloads()["bool"]] == [["bool"], ["string"]]
    assert {str(each.result) for each in overloads()["_+_"]} >= {"int", "string", "list(A)", "timestamp"}


def test_methods_and_functions_of_one_name():
    assert {(each.is_method, len(each.operands)) for each in overloads()["matches"]} == {(True, 2), (False, 2)}
    assert [each.is_method for each in overloads()["ip"]] == [False, True]


def test_names_with_a_dot():
    assert qualified("sets", "contains") == "sets.contains"
    assert qualified("self", "contains") == qualified("sets", "size") == ""


def test_types_are_read():
    assert [str(type_) for type_ in types_of("map(A, list(B)), optional_type(net.IP), int")] == [
        "map(A, list(B))",
        "optional_type(net.IP)",
        "int",
    ]
