"""The jobs of the Training Operator, ``kubeflow.org/v1``: PyTorchJob and its five relatives.

They share everything but the names of their roles and what their framework wants to know, so a kind is one
:class:`framework.Framework` and the rules are written once. Behaviour is that of Training Operator 1.9.4.
"""
