"""TFJob: ``TF_CONFIG`` and who ends the job (pkg/controller.v1/tensorflow, Training Operator 1.9.4)."""
