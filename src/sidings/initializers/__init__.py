"""What runs in the pods of Trainer's dataset and model initializers, in place of upstream's images.

``python -m sidings.initializers dataset`` (or ``model``) fetches what ``STORAGE_URI`` names into ``/workspace/dataset``
(``/workspace/model``). Variables, places and file lists are those of the initializers of Trainer 2.3; ``file://`` is
ours, for machines without a network. Standard library only, and nothing of Sidings: the program runs alone in a pod.
"""
