"""Tiers T2 and T3: pods as processes of a machine that gives them no namespaces.

What namespaces would do is done as far as it can be without them: addresses in 127.0.0.0/8, a preloaded library (or
text) for paths and names, Landlock for files, process trees for the end.
"""
