"""Kueue's own words and rules (v0.19): keys on jobs and pods, what its webhooks refuse, v1beta1 as a view of v1beta2.

The kinds are declared in ``api/kinds/kueue``; who may use which quota is decided in the room ``queue``.
"""
