from pathlib import Path

from sidings.node import software


def test_the_first_matching_pattern_decides() -> None:
    images = [("*/odh-training-*", Path("/envs/rhoai")), ("pytorch/*", Path("/envs/torch"))]
    default = Path("/envs/default")
    assert software.prefix_for("quay.io/x/odh-training-cuda:v3", images, default) == Path("/envs/rhoai")
    assert software.prefix_for("pytorch/pytorch:2.8", images, default) == Path("/envs/torch")
    assert software.prefix_for("python:3.12", images, default) == default


def test_the_environment_comes_first_in_the_search_path() -> None:
    assert software.search_path(Path("/envs/a")).startswith("/envs/a/bin:/usr/local/sbin:")


def test_every_prefix_on_the_way_to_the_interpreter_is_visible(tmp_path: Path) -> None:
    """A venv on uv's interpreter: bin/python -> <link to a versioned prefix>/bin/python3 -> python3.12."""
    real = tmp_path / "cpython-3.12.1"
    (real / "bin").mkdir(parents=True)
    (real / "bin" / "python3.12").touch()
    (real / "bin" / "python3").symlink_to("python3.12")
    spelled = tmp_path / "cpython-3.12"
    spelled.symlink_to(real.name)
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(spelled / "bin" / "python3")
    assert software.visible_prefixes(venv) == (venv, spelled, real)


def test_a_relative_link_is_followed_from_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "base" / "bin").mkdir(parents=True)
    (tmp_path / "base" / "bin" / "python").touch()
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to("../../base/bin/python")
    assert software.visible_prefixes(tmp_path / "venv") == (tmp_path / "venv", tmp_path / "base")


def test_the_systems_own_interpreter_needs_nothing() -> None:
    assert software.visible_prefixes(Path("/usr")) == ()


def test_initializers_of_the_trainer_are_ours(tmp_path: Path) -> None:
    for image in (
        "ghcr.io/kubeflow/trainer/dataset-initializer:v2.3.0",
        "mirror/dataset-initializer@sha256:0",
        "dataset-initializer",
    ):
        own = software.own_program({"image": image}, tmp_path)
        assert own is not None
        assert own.argv == (f"{tmp_path}/bin/python", "-m", "sidings.initializers", "dataset")
        assert Path(own.environment["PYTHONPATH"], "sidings", "initializers") in [
            path / "initializers" for path in own.paths
        ]


def test_other_images_and_commands_are_left_alone(tmp_path: Path) -> None:
    assert software.own_program({"image": "python:3.12"}, tmp_path) is None
    assert software.own_program({"image": "model-initializer", "command": ["true"]}, tmp_path) is None
