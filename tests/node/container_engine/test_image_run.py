from sidings.node.container_engine.image import Image
from sidings.node.container_engine.image_run import has_command, image_run
from tests.node.pods import container, pod

IMAGE = Image("sha256:1", "tiny@sha256:2", entrypoint=("/entry",), command=("x",), stop_signal="SIGINT")


def test_a_command_replaces_entrypoint_and_command_of_the_image() -> None:
    wanted = container(command=["python", "$(SCRIPT)"], args=["--all"])
    made = image_run(pod(wanted), wanted, IMAGE, {"SCRIPT": "train.py"}, ())
    assert made.entrypoint == "python"
    assert made.arguments == ("train.py", "--all")
    assert (made.id, made.reference, made.stop_signal) == ("sha256:1", "tiny@sha256:2", "SIGINT")


def test_args_alone_keep_the_images_entrypoint() -> None:
    wanted = container(args=["$(NAME)", "$$(NAME)"])
    made = image_run(pod(wanted), wanted, IMAGE, {"NAME": "n"}, ())
    assert made.entrypoint is None
    assert made.arguments == ("n", "$(NAME)")


def test_somebody_must_say_what_to_run() -> None:
    bare = Image("sha256:1", "sha256:1")
    assert has_command(container(), IMAGE)
    assert has_command(container(args=["x"]), bare)
    assert not has_command(container(), bare)
