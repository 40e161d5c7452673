"""The name of a pod's interface; that its network works is seen in ``test_shim`` and ``test_zygote``."""

from __future__ import annotations

import uuid

from sidings.node.sandbox.pod_network import interface_name

IFNAMSIZ = 16
"""Of ``linux/if.h``, with the zero at the end."""


def test_an_interface_has_a_name_that_the_kernel_takes() -> None:
    """Failure mode 9 of the prototype: a uid of 36 characters is no name of an interface."""
    names = {interface_name(str(uuid.UUID(int=number << 84, version=4))) for number in range(1000)}
    assert len(names) == 1000
    assert all(len(name) < IFNAMSIZ and name.isalnum() for name in names)
