import pytest

from sidings.answers.conversion import environment


@pytest.mark.parametrize(
    ("container", "found"),
    [
        ({"command": ["torchrun", "x.py"]}, True),
        ({"command": ["sh", "-c"], "args": ["cd /x && python -m torch.distributed.run x.py"]}, True),
        ({"command": ["python", "x.py"]}, False),
        ({}, False),
    ],
)
def test_a_launcher_is_found_in_the_command_line(container, found):
    assert environment.has_launcher(container) is found


def test_variables_of_trainer_itself_cannot_stay():
    env = [{"name": "A", "value": "1"}, {"name": "PET_NNODES", "value": "2"}]
    assert environment.without_reserved(env) == ([env[0]], ["PET_NNODES"])


def test_what_a_plain_script_needs():
    env = {variable["name"]: variable for variable in environment.of_the_operator("old", 3)}
    assert env["MASTER_ADDR"]["value"] == "old-node-0-0.old"
    assert env["WORLD_SIZE"]["value"] == "3"
    assert "job-completion-index" in env["RANK"]["valueFrom"]["fieldRef"]["fieldPath"]
