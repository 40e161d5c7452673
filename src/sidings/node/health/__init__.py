"""Whether containers are well: probes and life-cycle hooks, with kubelet's rules (v1.36).

``probe`` and ``tally`` decide, ``checks`` asks a container, ``pod_health`` keeps asking, ``hooks`` run at both ends.
"""
