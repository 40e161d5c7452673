from __future__ import annotations

import pytest

from sidings.api.endpoint_addresses import IPV4, IPV6, errors


@pytest.mark.parametrize(("text", "wanted"), [("10.0.0.1", IPV4), ("192.168.7.7", IPV4), ("2001:db8::1", IPV6)])
def test_addresses_of_others_are_fine(text: str, wanted: str) -> None:
    assert errors(text, "ip", wanted) == errors(text, "ip") == []


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ("300.0.0.1", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ("0.0.0.0", "may not be unspecified (0.0.0.0 or ::)"),
        ("127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        ("::1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        ("169.254.169.254", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        ("224.0.0.9", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
    ],
)
def test_others_are_refused_in_upstreams_words(text: str, detail: str) -> None:
    [error] = errors(text, "subsets[0].addresses[0].ip")
    assert (error.field, error.text) == ("subsets[0].addresses[0].ip", f'Invalid value: "{text}": {detail}')


def test_the_family_has_to_be_the_one_that_is_wanted() -> None:
    assert [error.text for error in errors("::2", "a", IPV4)] == ['Invalid value: "::2": must be a valid IPv4 address']
    assert len(errors("10.0.0.1", "a", IPV6)) == 1
