from pathlib import Path

from sidings.node.telemetry.interfaces import Traffic, traffic

DEV = """\
Inter-|   Receive                            |  Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed
    lo:  100 1 0 0 0 0 0 0  100 1 0 0 0 0 0 0
  eth0: 5000 10 0 0 0 0 0 0 7000 12 0 0 0 0 0 0
"""


def test_the_pods_interface_counts_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "7" / "net"
    folder.mkdir(parents=True)
    (folder / "dev").write_text(DEV)
    assert traffic(7, tmp_path) == Traffic(5000, 7000)
    (folder / "dev").write_text(DEV.replace("eth0", "eth1"))
    assert traffic(7, tmp_path) is None
    assert traffic(8, tmp_path) is None
