from sidings.cli.output import as_json, as_yaml, table


def test_tables_are_columns_without_borders() -> None:
    assert table(("NAME", "STATE"), [("a", "Running"), ("longer", "Failed")]) == [
        "NAME     STATE",
        "a        Running",
        "longer   Failed",
    ]


def test_an_optional_column_appears_only_where_a_row_fills_it() -> None:
    headers = ("NAME", "REASON")
    assert table(headers, [("a", "")], optional=("REASON",)) == ["NAME", "a"]
    assert table(headers, [("a", ""), ("b", "no room")], optional=("REASON",)) == [
        "NAME   REASON",
        "a",
        "b      no room",
    ]


def test_colour_takes_no_room() -> None:
    [_, row] = table(("STATE", "AGE"), [("\x1b[32mRunning\x1b[0m", "1s")])
    assert row == "\x1b[32mRunning\x1b[0m   1s"


def test_the_last_column_is_cut_to_the_terminal() -> None:
    [_, row] = table(("NAME", "REASON"), [("a", "x" * 100)], width=40)
    assert (len(row), row[-3:]) == (40, "...")


def test_programs_get_json_or_yaml() -> None:
    assert as_json([{"a": "ü"}]) == '[\n  {\n    "a": "ü"\n  }\n]'
    assert as_yaml([{"b": 1, "a": "ü"}]) == "- b: 1\n  a: ü"
