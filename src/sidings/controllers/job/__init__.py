"""``batch/v1`` Jobs: pods until enough of them succeeded or too many failed.

``plan`` is the sequence of decisions, each in the file that bears its name; ``controller`` reads the snapshot and
carries the plan out. The behaviour is that of kube-controller-manager 1.36.2, as recorded.
"""
