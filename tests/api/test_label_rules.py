from sidings.api import label_rules


def complaints(labels: dict[str, str]) -> list[tuple[str, str]]:
    return [(error.field, error.text.split(": ")[1]) for error in label_rules.of_labels(labels, "metadata.labels")]


def test_keys_and_values_of_labels() -> None:
    assert complaints({"a.io/b": "c", "d": ""}) == []
    assert complaints({"a b": "c d"}) == [("metadata.labels", '"a b"'), ("metadata.labels", '"c d"')]
    assert complaints({"a": "x" * 64}) == [("metadata.labels", f'"{"x" * 64}"')]
    assert complaints({"a": "\u00e9" * 40}) != []


def test_annotations_have_any_value_and_keys_in_any_case() -> None:
    assert list(label_rules.of_annotations({"A.io/B": "c d"}, "x")) == []
    [error] = label_rules.of_annotations({"a b": ""}, "x")
    assert str(error).startswith('x: Invalid value: "a b": name part must consist of')


def test_annotations_are_limited_together() -> None:
    size = label_rules.MAX_ANNOTATION_BYTES // 2
    assert list(label_rules.of_annotations({"a": "x" * (size - 1), "b": "x" * (size - 1)}, "x")) == []
    [error] = label_rules.of_annotations({"a": "x" * size, "b": "x" * size}, "x")
    assert str(error) == f"x: Too long: may not be more than {label_rules.MAX_ANNOTATION_BYTES} bytes"
