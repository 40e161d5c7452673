"""Topology-aware scheduling: which domains (blocks, racks, nodes) the pods of a workload go to.

``domains`` is the tree with what is free, ``request`` what a pod set asks for, ``placement`` the choice, ``encoding``
the form a choice has in ``status.admission``.
"""
