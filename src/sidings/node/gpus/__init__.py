"""GPUs of this machine: what there is, how logical nodes share it, who has which, and how gangs keep NVLink.

``source`` is the seam to the driver, with two implementations: ``nvml`` and ``in_memory``. ``sharing``, ``labels``,
``peers`` and ``gang_links`` decide; ``manager`` keeps who has which device and which devices are withdrawn.
"""
