import pytest

from sidings.api.status import BadRequest
from sidings.server.queries import Query


@pytest.mark.parametrize(
    ("raw", "flag"),
    [(b"watch=true", True), (b"watch=True", True), (b"watch=1", True), (b"watch=false", False), (b"watch=0", False)],
)
def test_flags_as_clients_write_them(raw: bytes, flag: bool) -> None:
    assert Query(raw).flag("watch") is flag


def test_an_absent_parameter_says_nothing() -> None:
    query = Query()
    assert (query.text("a"), query.flag("a"), query.integer("a")) == ("", False, None)


def test_values_are_percent_decoded_and_the_first_of_several_counts() -> None:
    query = Query(b"labelSelector=a%20in%20(b%2C%20c)&labelSelector=x")
    assert query.text("labelSelector") == "a in (b, c)"


def test_integers() -> None:
    assert Query(b"limit=500").integer("limit") == 500
    assert Query(b"limit=-1").integer("limit") == -1
    assert Query(b"limit=").integer("limit") is None
    with pytest.raises(BadRequest, match=r'^strconv.ParseInt: parsing "abc": invalid syntax$'):
        Query(b"limit=abc").integer("limit")
