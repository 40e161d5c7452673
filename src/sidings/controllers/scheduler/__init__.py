"""Which node runs a pod: a pure choice over a snapshot, then one binding per pod.

``choice.choose`` decides for one pod, one policy per file in ``filters/``; ``controller`` takes the snapshot, lets it
decide for every pending pod in turn, and binds.
"""
