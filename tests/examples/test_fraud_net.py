"""What the model looks up: sums of steps, so that neighbours share what they learn."""

import torch

from tests.examples.scripts import script

FraudNet = script("train").FraudNet
SIZES = [3, 5]


def net() -> torch.nn.Module:
    torch.manual_seed(0)
    made = FraudNet(SIZES, width=2)
    torch.nn.init.normal_(made.steps)
    made.mlp = torch.nn.Identity()
    return made


def test_the_vector_of_a_code_is_the_sum_of_the_steps_up_to_it() -> None:
    made = net()
    seen = made(torch.tensor([[2, 3 + 4], [0, 3 + 1]]).int())
    steps = made.steps.view(max(SIZES), len(SIZES), 2)
    for row, codes in enumerate(((2, 4), (0, 1))):
        vectors = [steps[: code + 1, column].sum(0) for column, code in enumerate(codes)]
        torch.testing.assert_close(seen[row, :4], torch.cat(vectors))
    torch.testing.assert_close(seen[:, 4:], torch.tensor([[1.0, 1.0], [-1.0, -0.5]]))


def test_what_one_bin_learns_moves_those_above_it() -> None:
    made = net()
    made(torch.tensor([[0, 3 + 2]]).int())[0, 2:4].sum().backward()
    assert made.steps.grad is not None
    moved = made.steps.grad.view(max(SIZES), len(SIZES), 2)[:, 1].abs().sum(1) > 0
    assert moved.tolist() == [True, True, True, False, False]
