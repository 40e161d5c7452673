"""Kueue's controllers (v0.19): jobs become Workloads, the scheduler admits them, admitted ones start.

* ``jobs/`` - one job of any kind and its Workload: the suspend handshake. A small module per kind.
* ``workloads`` - a Workload and its queue: why it waits, checks, evictions, limits of time.
* ``scheduler`` - heads of all queues through ``queue.cycle``; decisions become status writes.
* ``cluster_queues``, ``local_queues``, ``in_use`` - status of queues, finalizers of what they need.

Who gets quota is decided in the room ``queue`` alone; here decisions are carried out.
"""
