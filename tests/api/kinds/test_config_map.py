import base64
from datetime import UTC, datetime

from sidings.api.kinds.config_map import IMMUTABLE, KIND, MAX_SIZE

RULES = KIND.rules


def test_keys_are_file_names():
    errors = RULES.validate({"data": {"a b": "", "..": "", "fine.txt": ""}, "binaryData": {"fine.txt": ""}})
    assert [error.field for error in errors] == ["data[a b]", "data[..]", "data[fine.txt]"]


def test_size_counts_text_and_bytes():
    half = "x" * (MAX_SIZE // 2)
    packed = base64.b64encode(half.encode()).decode()
    assert RULES.validate({"data": {"a": half}, "binaryData": {"b": packed}}) == []
    (error,) = RULES.validate({"data": {"a": half + "x"}, "binaryData": {"b": packed}})
    assert str(error) == "[]: Too long: may not be more than 1048576 bytes"


def test_immutable_means_data_and_the_mark_itself():
    old = {"immutable": True, "data": {"a": "1"}}
    assert RULES.validate_update({"immutable": True, "data": {"a": "1"}}, old) == []
    errors = RULES.validate_update({"data": {"a": "2"}}, old)
    assert [str(error) for error in errors] == [f"immutable: Forbidden: {IMMUTABLE}", f"data: Forbidden: {IMMUTABLE}"]


def test_the_data_column_counts_keys():
    (column,) = (column for column in KIND.columns if column.name == "Data")
    assert column.cell is not None
    assert column.cell({"data": {"a": ""}, "binaryData": {"b": ""}}, datetime.now(UTC)) == 2
