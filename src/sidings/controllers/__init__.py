"""What makes objects true: one folder per kind, one file per policy.

A controller is level-triggered: ``reconcile(key)`` reads a snapshot through the client, a pure ``plan(snapshot, now)``
decides, and ``runtime.plan.carry_out`` applies the plan with at most one status write. The engine that watches,
queues and retries is ``runtime/``.
"""
