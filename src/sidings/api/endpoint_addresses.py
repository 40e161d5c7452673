"""Which addresses may be behind a Service: not those by which a machine means itself, or that end at its own link.

Whoever may write endpoints could otherwise lead others' connections to a machine's own services. Messages of
``ValidateNonSpecialIP`` and ``IsValidIPv4Address`` (Kubernetes v1.36).
"""

from __future__ import annotations

import ipaddress

from sidings.api.fields import FieldError, invalid

ANY_FAMILY = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
IPV4 = "must be a valid IPv4 address"
IPV6 = "must be a valid IPv6 address"
_UNSPECIFIED = "may not be unspecified (0.0.0.0 or ::)"
_LOOPBACK = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
_LINK_LOCAL = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
_LINK_LOCAL_MULTICAST = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
_MULTICAST_OF_LINK = (ipaddress.ip_network("224.0.0.0/24"), ipaddress.ip_network("ff02::/16"))


def errors(text: str, field: str, wanted: str = ANY_FAMILY) -> list[FieldError]:
    """What is wrong with an address; ``wanted`` says of which family it has to be, in upstream's words."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return [invalid(field, text, wanted)]
    if wanted in (IPV4, IPV6) and (address.version == 4) != (wanted == IPV4):
        return [invalid(field, text, wanted)]
    reasons = (
        (address.is_unspecified, _UNSPECIFIED),
        (address.is_loopback, _LOOPBACK),
        (address.is_link_local, _LINK_LOCAL),
        (any(address in network for network in _MULTICAST_OF_LINK), _LINK_LOCAL_MULTICAST),
    )
    return [invalid(field, text, reason) for holds, reason in reasons if holds]
