"""TrainJob -> JobSet, as Kubeflow Trainer 2.3 does it.

``controller`` is the sequence; each policy is a file: ``snapshot`` freezes the runtime, ``info`` is the runtime with a
TrainJob's overrides in it, ``plugins`` give the processes what they need to find each other, ``job_set`` builds the
JobSet and says when to write it, ``status`` and ``deadline`` judge what came of it. ``refusals`` carries a refused
Job's reason to the TrainJob, ``shipped`` are the runtimes that come with the product.
"""
