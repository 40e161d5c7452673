import pytest

from sidings.api.cel.errors import EvaluationError
from sidings.api.cel.program import compiled


@pytest.mark.parametrize(
    "text",
    [
        "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback()",
        "ip('0.0.0.0').isUnspecified() && ip('224.0.0.1').isLinkLocalMulticast()",
        "ip('169.254.1.1').isLinkLocalUnicast() && !ip('169.254.1.1').isGlobalUnicast()",
        "ip('10.0.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()",
        "ip.isCanonical('::1') && !ip.isCanonical('0:0::1')",
        "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
        "cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && !cidr('10.0.0.0/8').containsIP('11.0.0.1')",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
        "!cidr('10.0.0.0/8').containsCIDR('::/0') && cidr('10.0.0.0/8').prefixLength() == 8",
        "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.1') && !isIP('10.0.0.0/8')",
    ],
)
def test_functions(text):
    assert compiled(text)({}) is True


@pytest.mark.parametrize("text", ["ip('x')", "cidr('10.0.0.1')", "ip(1)", "cidr('10.0.0.0/8').containsCIDR(ip('::1'))"])
def test_what_is_no_address(text):
    with pytest.raises(EvaluationError):
        compiled(text)({})
