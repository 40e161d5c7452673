"""The cause is shown, not torchrun's report about it."""

from sidings.answers.log_tail import telling

WORKER = ["Traceback (most recent call last):", '  File "train.py", line 3', "ValueError: the data is not there"]
AGENT = [
    "E1130 14:32 2 torch/distributed/elastic/multiprocessing/api.py:986] failed (exitcode: 1)",
    "Traceback (most recent call last):",
    *["  raise"] * 40,
]


def test_the_workers_own_words_come_before_torchruns() -> None:
    assert telling([*WORKER, *AGENT], 20) == WORKER
    assert telling([*["step"] * 50, *WORKER, *AGENT], 4) == ["step", *WORKER]


def test_torchruns_report_alone_is_better_than_nothing() -> None:
    assert telling(AGENT, 3) == ["  raise"] * 3


def test_any_other_log_is_cut_to_its_end() -> None:
    assert telling(["a", "b", "c"], 2) == ["b", "c"]
    assert telling([], 2) == []
