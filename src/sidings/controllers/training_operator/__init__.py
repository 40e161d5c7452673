"""Jobs of ``kubeflow.org/v1``: one reconcile for six kinds (pkg/controller.v1/common, Training Operator 1.9.4).

``plan`` is the sequence of decisions, each in the file that bears its name; what a framework wants otherwise is an
:class:`operator.Operator` in a folder of its own (``pytorchjob``, ``xgboostjob`` ...).
"""
