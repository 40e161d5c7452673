"""Namespaces from Python: zygote -> shim (one per pod) -> init (one per container) -> workload.

Stdlib and ctypes only, because these modules run under ``python -I -S`` in processes that outlive the control plane:

* ``zygote`` is single-threaded (a user namespace can only be made so), owns the node's network namespace and forks
  a shim per pod from a warm interpreter;
* ``shim`` owns one pod's namespaces, pumps its logs, keeps ``status.json`` and answers on ``shim.sock``;
* ``init`` is pid 1 of one container: builds the root, starts the workload, reaps, forwards signals.

``client`` is the control plane's side of the two sockets.
"""
