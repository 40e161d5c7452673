"""JAXJob: what ``jax.distributed.initialize`` wants to know (pkg/controller.v1/jax, Training Operator 1.9.4)."""
