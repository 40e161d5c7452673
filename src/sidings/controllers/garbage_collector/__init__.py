"""Nothing outlives its owners: ownerReferences followed, for every kind that the API serves.

``graph`` is who owns whom, built from watches; ``verdict`` decides for one object; ``controller`` keeps the graph and
carries verdicts out. Rules as in kube-controller-manager v1.36 (``pkg/controller/garbagecollector``).
"""
