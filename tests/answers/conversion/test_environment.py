import pytest

from sidings.answers.conversion import environment
from sidings.api.training_operator.framework import JAX, PADDLE, PYTORCH, XGBOOST


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
    assert environment.split(env, environment.RESERVED[PYTORCH]) == ([env[0]], ["PET_NNODES"])


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (["torchrun", "--node_rank=$(RANK)", "x.py"], ["RANK"]),
        (
            ["sh", "-c", "torchrun --nnodes $WORLD_SIZE --master_addr ${MASTER_ADDR} x.py"],
            ["MASTER_ADDR", "WORLD_SIZE"],
        ),
        (["torchrun", "x.py", "--rank-file=$RANKING"], []),
    ],
)
def test_what_a_command_line_refers_to(line, found):
    assert environment.mentions({"command": line}) == found


def test_what_a_plain_script_needs():
    env = {variable["name"]: variable for variable in environment.of_the_operator(PYTORCH, "old", 3, 2)}
    assert env["MASTER_ADDR"]["value"] == "old-node-0-0.old"
    assert env["WORLD_SIZE"]["value"] == "6"
    assert "job-completion-index" in env["RANK"]["valueFrom"]["fieldRef"]["fieldPath"]


def test_other_frameworks_find_their_own():
    def told(of, name):
        return {v["name"]: v.get("value") for v in environment.of_the_operator(of, "old", 3, 1)}[name]

    assert told(XGBOOST, "WORKER_ADDRS") == "old-node-0-1.old,old-node-0-2.old"
    assert told(JAX, "NUM_PROCESSES") == "3"
    assert told(PADDLE, "PADDLE_MASTER") == "old-node-0-0.old:36543"
