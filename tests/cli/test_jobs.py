import pytest

from sidings.api.resources import JOB_SETS, TRAIN_JOBS
from sidings.cli.errors import ExitCode, UsageError
from sidings.cli.jobs import not_found, split_reference


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["a"], [(None, "a")]),
        (["a", "b"], [(None, "a"), (None, "b")]),
        (["trainjob", "a", "b"], [(TRAIN_JOBS, "a"), (TRAIN_JOBS, "b")]),
        (["tj/a", "jobset.jobset.x-k8s.io/b", "c"], [(TRAIN_JOBS, "a"), (JOB_SETS, "b"), (None, "c")]),
        (["trainjob"], [(None, "trainjob")]),
    ],
)
def test_references_are_read_as_kubectl_reads_them(words: list[str], meant: list[object]) -> None:
    assert split_reference(words) == meant


def test_what_is_no_job_is_kubectls() -> None:
    with pytest.raises(UsageError) as caught:
        split_reference(["node/n-1"])
    assert caught.value.remedy == "kubectl get node/n-1"


def test_a_job_that_is_not_there_is_told_with_its_neighbours() -> None:
    error = not_found(None, "granit", "poc", ["granite", "other"])
    assert error.exit_code is ExitCode.NOT_FOUND
    assert (error.what, error.remedy) == ('no job "granit" in namespace "poc"', 'did you mean "granite"?')
    assert not_found(TRAIN_JOBS, "x", "poc", []).cause == "there are no jobs in it"
