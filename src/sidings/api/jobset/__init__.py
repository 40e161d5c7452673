"""The pure rules of JobSets (``jobset.x-k8s.io/v1alpha2``): words, names, defaults, what is refused.

Behaviour is that of kubernetes-sigs/jobset after v0.12 with its alpha gates off. ``kinds/jobset.py`` puts the rules
together; those of the upstream webhook are called by the admission plug-in, because they answer as a webhook does.
"""
