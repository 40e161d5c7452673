from __future__ import annotations

import pytest
import torch

from sidings_train.compiled import Compiled


@pytest.mark.filterwarnings("ignore:.*script_method:DeprecationWarning")  # torch's own, while it loads its compiler
def test_without_a_compiler_it_goes_on_as_it_is_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    from torch._functorch import config as graphs  # take seconds, and no other test needs them
    from torch._inductor import config as compiler

    torch._dynamo.reset()
    function = Compiled(lambda rows: (rows * 2).sum())
    # What was compiled before, by any process of this user, would be found without a compiler.
    missing = compiler.patch({"cpp.cxx": (None, "/no/such/compiler"), "fx_graph_cache": False})
    with missing, graphs.patch(enable_autograd_cache=False):
        assert [function(torch.ones(3)).item() for _ in range(3)] == [6, 6, 6]
    assert function.reason.startswith("torch.compile: ")
    assert capsys.readouterr().err == f"not compiled: {function.reason}\n"


def test_errors_of_the_function_itself_are_its_own() -> None:
    def wrong(rows: torch.Tensor) -> torch.Tensor:
        raise ValueError("no such column")

    with pytest.raises(ValueError, match="no such column"):
        Compiled(wrong)(torch.ones(3))
