"""The kinds, one module each, every one exporting ``KIND`` (or ``KINDS``); ``catalog.builtin`` collects them.

Shared pieces: ``columns`` (printer columns) and ``pod_spec`` (defaults and rules of a pod template, which Job and Pod
share).
"""
