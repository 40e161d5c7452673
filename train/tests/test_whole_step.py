from __future__ import annotations

import pytest
import torch

from sidings_train.whole_step import WholeStep

CPU = torch.device("cpu")


def test_on_a_cpu_it_is_the_step_itself_and_says_why() -> None:
    step = WholeStep(lambda rows: rows.sum(), CPU)
    assert step(torch.ones(3)) == 3
    assert step.reason == "no CUDA graphs on cpu"


def test_what_nobody_asked_for_is_not_missed() -> None:
    assert WholeStep(lambda rows: rows, CPU, graph=False).reason == ""


@pytest.mark.filterwarnings("ignore:.*script_method:DeprecationWarning")  # torch's own, while it loads its compiler
def test_without_a_compiler_it_goes_on_eagerly_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    from torch._functorch import config as graphs  # take seconds, and no other test needs them
    from torch._inductor import config as compiler

    torch._dynamo.reset()
    step = WholeStep(lambda rows: (rows * 2).sum(), CPU, graph=False, compiled=True)
    # What was compiled before, by any process of this user, would be found without a compiler.
    missing = compiler.patch({"cpp.cxx": (None, "/no/such/compiler"), "fx_graph_cache": False})
    with missing, graphs.patch(enable_autograd_cache=False):
        assert [step(torch.ones(3)).item() for _ in range(3)] == [6, 6, 6]
    assert step.reason.startswith("torch.compile: ")
    assert capsys.readouterr().err == f"steps run eagerly: {step.reason}\n"
