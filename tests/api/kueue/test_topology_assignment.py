import pytest

from sidings.api.kueue.topology_assignment import Placement, decode, encode


def test_what_is_equal_is_written_once() -> None:
    placement = Placement(("rack",), ((("r1",), 2),))
    assert encode(placement)["slices"] == [
        {"domainCount": 1, "valuesPerLevel": [{"universal": "r1"}], "podCounts": {"universal": 2}}
    ]


def test_common_beginnings_go_before_common_ends() -> None:
    placement = Placement(("host",), ((("x1-a",), 1), (("x2-a",), 3)))
    [part] = encode(placement)["slices"]
    assert part["valuesPerLevel"] == [{"individual": {"prefix": "x", "suffix": "-a", "roots": ["1", "2"]}}]
    assert part["podCounts"] == {"individual": [1, 3]}


@pytest.mark.parametrize("names", [["a", "aa"], ["ab", "b"], ["node-1", "node-11", "node-111"], ["aXa", "aYa"]])
def test_nothing_is_lost(names: list[str]) -> None:
    domains = tuple((("block", name), index + 1) for index, name in enumerate(sorted(names)))
    placement = Placement(("block", "host"), domains)
    assert decode(encode(placement)) == placement
