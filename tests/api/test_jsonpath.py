from typing import Any

import pytest

from sidings.api import jsonpath

OBJECT: dict[str, Any] = {
    "metadata": {"labels": {"a/b": "1", "c.d": "2", "it's": "3"}},
    "status": {
        "conditions": [
            {"type": "Ready", "status": "True", "n": 1},
            {"type": "Failed", "status": "False", "n": 2, "message": "[x]"},
        ]
    },
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".status.conditions[-1:].type", ["Failed"]),
        (".status.conditions[0].type", ["Ready"]),
        (".status.conditions[-1].type", ["Failed"]),
        (".status.conditions[5].type", []),
        (".status.conditions[*].n", [1, 2]),
        (".status.conditions[0:2:2].n", [1]),
        (".status.conditions[0,1].n", [1, 2]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.type=='Ready')].status", ["True"]),
        ('.status.conditions[?(@.type!="Ready")].status', ["False"]),
        (".status.conditions[?(@.n>1)].type", ["Failed"]),
        (".status.conditions[?(@.n<=1)].type", ["Ready"]),
        (".status.conditions[?(@.type>1)].type", []),
        ('.status.conditions[?(@.message=="[x]")].n', [2]),
        (".status.conditions[?(@.message)].n", [2]),
        ("{.metadata.labels['a/b']}", ["1"]),
        ('.metadata.labels["a/b"]', ["1"]),
        (r".metadata.labels.c\.d", ["2"]),
        (r".metadata.labels['it\'s']", ["3"]),
        (".metadata.labels['a/b','c.d']", ["1", "2"]),
        (".metadata.labels.*", ["1", "2", "3"]),
        ("metadata.labels.nothing", []),
        ("$.status.nothing.below", []),
        ("..type", ["Ready", "Failed"]),
        ("..conditions[0].n", [1]),
        (".", [OBJECT]),
    ],
)
def test_a_path_finds_what_it_names(path: str, found: list[Any]) -> None:
    if path == ".":
        path = ""
    assert jsonpath.find(OBJECT, path) == found


def test_the_first_of_nothing_is_none() -> None:
    assert jsonpath.first(OBJECT, ".status.conditions[*].n") == 1
    assert jsonpath.first(OBJECT, ".spec") is None


@pytest.mark.parametrize("path", [".a[", ".a[b]", ".a[?(@.b]", ".a.", ".a b"])
def test_text_that_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        jsonpath.find(OBJECT, path)
