import pytest

from sidings.api.spelling import hint

KNOWN = ("numNodes", "image", "env", "restartPolicy", "replicas")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("numNodez", "numNodes"),
        ("imagee", "image"),
        ("restartpolicy", "restartPolicy"),
        ("replica", "replicas"),
        ("bogus", ""),
        ("environment", ""),
        ("x", ""),
    ],
)
def test_what_is_near(name: str, meant: str) -> None:
    assert hint(name, KNOWN) == (f' (did you mean "{meant}"?)' if meant else "")
