"""Nodes that fall silent, and pods left on nodes that are gone.

``life_cycle`` turns a missing heartbeat into conditions and taints, ``eviction`` removes pods that do not tolerate a
NoExecute taint, ``pod_collector`` fails and removes pods whose node does not exist any more.
"""
