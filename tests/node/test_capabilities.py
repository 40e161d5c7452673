from sidings.node import capabilities
from sidings.node.sandbox.credentials import DEFAULT_CAPABILITIES


def test_numbers_are_the_kernels() -> None:
    assert [capabilities.number(name) for name in ("CHOWN", "CAP_SYS_ADMIN", "net_raw", "CHECKPOINT_RESTORE")] == [
        0, 21, 13, 40,
    ]  # fmt: skip
    assert capabilities.number("NO_SUCH") is None


def test_what_is_dropped_and_added_is_there() -> None:
    assert capabilities.mask(0b11, ["CHOWN"], ["CHOWN", "DAC_OVERRIDE"]) == 0b1


def test_the_default_set_can_always_be_named() -> None:
    assert capabilities.refused(DEFAULT_CAPABILITIES, ["CHOWN", "SETUID", "IPC_LOCK"]) == []
    assert capabilities.refused(DEFAULT_CAPABILITIES, ["SYS_ADMIN", "BPF"]) == ["SYS_ADMIN", "BPF"]
