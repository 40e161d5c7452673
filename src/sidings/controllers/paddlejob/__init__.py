"""PaddleJob: what ``paddle.distributed.launch`` wants to know (pkg/controller.v1/paddlepaddle, 1.9.4)."""
