"""MPIJob: a launcher that starts its workers through the API (pkg/controller.v1/mpi, Training Operator 1.9.4)."""
