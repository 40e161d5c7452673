"""A bucket that two ranks write to, and what goes wrong with it: a line while training goes on, else an error."""

from __future__ import annotations

import pytest
import torch
from s3_servers import S3, SECRET, Moto
from two_ranks import Outcome, Pair

import sidings_train
from sidings_train import Checkpoints, StorageError, TrainState


def errors_of(outcomes: list[Outcome]) -> set[str]:
    assert all(isinstance(outcome.error, StorageError) for outcome in outcomes)
    return {str(outcome.error) for outcome in outcomes}


def go_on(url: str) -> bool:
    with sidings_train.start() as world:
        return Checkpoints(url, world, TrainState(torch.nn.Linear(4, 4))).resume()


def test_a_bucket_that_is_not_there_at_the_start(s3: S3, pair: Pair) -> None:
    outcomes = pair.run(go_on, "s3://never-made/run-1", **s3.environ)
    for error in errors_of(outcomes):
        assert f"cannot list s3://never-made/run-1/step- at {s3.url}: there is no bucket 'never-made'" in error
        assert "help: create it: aws s3 mb s3://never-made" in error


def test_credentials_that_are_wrong(s3: S3, pair: Pair) -> None:
    if isinstance(s3, Moto):
        pytest.skip("moto asks for no credentials")
    outcomes = pair.run(go_on, "s3://models/run-1", **{**s3.environ, "AWS_SECRET_ACCESS_KEY": f"not-{SECRET}"})
    for error in errors_of(outcomes):
        assert f"s3://models/run-1/step- at {s3.url}: refused" in error
        assert "SignatureDoesNotMatch" in error
        assert "help: look at the credentials: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY" in error
    assert SECRET not in "".join(str(outcome.error) + outcome.printed for outcome in outcomes)


def go_on_without_a_key_on_rank_1(url: str) -> None:
    import os

    if os.environ["RANK"] == "1":
        os.environ["AWS_SECRET_ACCESS_KEY"] = ""
    with sidings_train.start() as world:
        Checkpoints(url, world, TrainState(torch.nn.Linear(4, 4)))


def test_credentials_that_one_rank_lacks(s3: S3, pair: Pair) -> None:
    outcomes = pair.run(go_on_without_a_key_on_rank_1, "s3://models/run-1", **s3.environ)
    assert {"rank 1: " in error for error in errors_of(outcomes)} == {True, False}
    assert all("not set: AWS_SECRET_ACCESS_KEY" in error for error in errors_of(outcomes))


def train_while_it_vanishes(s3: S3) -> int:
    """The step at which all is well again, after a periodic checkpoint and one asked for have failed."""
    with sidings_train.start() as world:
        state = TrainState(torch.nn.Linear(4, 4))
        with Checkpoints("s3://vanishes/run-1", world, state, every=1) as checkpoints:
            state.advance(1)
            checkpoints.save()
            with world.together():
                if world.first:
                    s3.vanish("vanishes")
            state.advance(1)
            checkpoints.after_step()
            state.advance(1)
            with pytest.raises(StorageError, match="there is no bucket 'vanishes'"):
                checkpoints.save()
            with world.together():
                if world.first:
                    s3.make("vanishes")
            state.advance(1)
            return checkpoints.save().step


def test_a_bucket_that_vanishes_and_comes_back(s3: S3, pair: Pair) -> None:
    s3.make("vanishes")
    first, second = pair.run(train_while_it_vanishes, s3, **s3.environ)
    assert first.result == second.result == 4
    (line,) = (line for line in first.printed.splitlines() if line.startswith("checkpoint failed, training goes on: "))
    assert "rank " in line
    assert f"at {s3.url}: there is no bucket 'vanishes'" in line
