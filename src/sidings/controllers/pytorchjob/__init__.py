"""PyTorchJob: what torch wants to know (pkg/controller.v1/pytorch, Training Operator 1.9.4)."""
