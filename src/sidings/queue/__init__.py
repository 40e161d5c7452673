"""Kueue's decisions: who may start, where, and who must make room, as pure functions over a snapshot.

Read in this order: ``workloads`` and ``snapshot`` (what is decided upon), ``cycle`` (one pass, in numbered steps),
then the policies that it calls, one per file. ``pending`` holds those who wait; ``replay`` runs recorded cases.
Facts are those of kubernetes-sigs/kueue main of August 2026 (after v0.19).
"""
