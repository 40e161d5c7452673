"""PersistentVolumeClaims: each gets a volume of its own, a directory on this machine's disk, at once.

``volume`` says what the PersistentVolume looks like, ``binder`` makes and binds it, ``protection`` keeps a claim while
pods use it. The directory itself is made and removed by the node agent, which owns the disk.
"""
