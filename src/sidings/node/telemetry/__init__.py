"""What pods and GPUs do: measured every two seconds, kept for as long as the job, told to Prometheus and ``top``.

``processes`` and ``interfaces`` read /proc, the GPUs come from ``node.gpus.source``. ``workload`` says whose figures
they are, ``history`` keeps them, ``exposition`` and ``report`` tell them, ``monitor`` runs it all.
"""
