"""From a job of the Training Operator (``kubeflow.org/v1``) to a TrainJob, and what is lost on the way.

``trainjob`` is the door. What the TrainJob's own fields can say goes there; everything else of the pods goes into a
TrainingRuntime of its own (``runtime``), which every version of Trainer understands, while patches of a shared runtime
are spelt differently in each.
"""
