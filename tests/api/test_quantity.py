from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api import quantity


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        ("500m", Decimal("0.5")),
        ("1Ki", Decimal(1024)),
        ("1Ei", Decimal(2**60)),
        ("2E", Decimal(2 * 10**18)),
        ("1e3", Decimal(1000)),
        ("1E-3", Decimal("0.001")),
        ("250u", Decimal("0.00025")),
        ("3n", Decimal("0.000000003")),
        ("+.5", Decimal("0.5")),
        ("-1.5k", Decimal(-1500)),
        (2, Decimal(2)),
        (0.5, Decimal("0.5")),
        ("0.1n", Decimal("0.000000001")),
    ],
)
def test_the_amount_is_exact_down_to_a_nano(value: quantity.Value, amount: Decimal) -> None:
    assert quantity.parse(value) == amount


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1000m", "1"),
        ("0.5", "500m"),
        (0.5, "500m"),
        (1000, "1k"),
        ("1024Mi", "1Gi"),
        ("3.5Gi", "3584Mi"),
        ("1025Ki", "1025Ki"),
        ("1Ki", "1Ki"),
        ("512", "512"),
        ("0.1Gi", "107374182400m"),
        ("1e3", "1e3"),
        ("1500e3", "1500e3"),
        ("12000000e0", "12e6"),
        ("0Gi", "0"),
        ("-5m", "-5m"),
    ],
)
def test_the_canonical_text_keeps_the_family_and_takes_the_largest_suffix(value: quantity.Value, text: str) -> None:
    assert quantity.canonical(value) == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", quantity.FORMAT_WRONG),
        ("abc", quantity.FORMAT_WRONG),
        ("1 Gi", quantity.FORMAT_WRONG),
        ("1.2.3", quantity.FORMAT_WRONG),
        (True, quantity.FORMAT_WRONG),
        ("1Gk", quantity.SUFFIX),
        ("1KiB", quantity.FORMAT_WRONG),
        ("1mi", quantity.SUFFIX),
    ],
)
def test_anything_else_is_refused_in_upstream_words(value: quantity.Value, message: str) -> None:
    with pytest.raises(ValueError, match="quantit") as caught:
        quantity.parse(value)
    assert str(caught.value) == message


def test_whole_numbers_are_rounded_away_from_zero() -> None:
    assert quantity.units("100u") == 1
    assert quantity.units("1500m") == 2
    assert quantity.units("-1500m") == -2


def test_a_sum_is_written_like_its_left_side_unless_that_is_zero() -> None:
    assert quantity.add("1Gi", "1Mi") == "1025Mi"
    assert quantity.add("1500m", "500m") == "2"
    assert quantity.add("0", "1Gi") == "1Gi"


amounts = st.decimals(min_value=-(10**15), max_value=10**15, places=9, allow_nan=False, allow_infinity=False)
suffixes = st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3"])


@given(amounts, suffixes)
def test_the_canonical_text_means_the_same_and_is_final(amount: Decimal, suffix: str) -> None:
    value = f"{amount:f}{suffix}"
    text = quantity.canonical(value)
    assert quantity.parse(text) == quantity.parse(value)
    assert quantity.canonical(text) == text


@given(amounts, suffixes, amounts, suffixes)
def test_a_sum_is_exact(one: Decimal, first: str, other: Decimal, second: str) -> None:
    left, right = f"{one:f}{first}", f"{other:f}{second}"
    with localcontext(prec=80):
        assert quantity.parse(quantity.add(left, right)) == quantity.parse(left) + quantity.parse(right)


def test_bytes_are_written_in_the_binary_family() -> None:
    assert [quantity.binary(amount) for amount in (0, 1000, 512 * 2**20, 3 * 2**30)] == ["0", "1k", "512Mi", "3Gi"]


def test_amounts_beyond_all_measure_are_read_or_refused() -> None:
    assert quantity.canonical("1e+308") == "100e306"
    assert quantity.canonical(1e308) == "100e306"
    with pytest.raises(ValueError, match="regular expression"):
        quantity.canonical("1e99999999999")
