"""JobSets: several groups of Jobs that start, fail, restart and end as one.

``plan`` is the sequence of steps, one policy per file; ``controller`` reads the snapshot and carries the plan out. The
behaviour is that of kubernetes-sigs/jobset after v0.12 (commit 08dfbdfd6827) as recorded, with its alpha gates off
unless they are switched on (``api.feature_gates``).
"""
