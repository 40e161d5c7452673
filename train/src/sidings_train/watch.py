"""Who holds everybody up: each rank's last step, told by a thread of its own.

A collective that one rank never enters ends in a time-out on all others, and the message names none of them (with NCCL
the process is even aborted). So each rank tells the store every few seconds which step it is at. A rank whose step does
not go on looks at all others once ``patience`` is over and says on stderr who is behind, long before the collective's
time-out; ``account`` says the same for the error that follows.

A rank that is merely stopped (SIGSTOP, a node that froze) tells nothing any more; that is seen by the age of its word.
A rank that goes on but is slow is found by ``pace``, whose figures travel with the word; rank 0 says so.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch.distributed as dist

from sidings_train.pace import Pace, Share, Stragglers

INTERVAL = 2.0  # seconds between two words of a rank
_LOST = 5 * INTERVAL  # a rank that was silent for longer is stopped or gone, whatever its step


@dataclass(frozen=True)
class Word:
    """What one rank told last: its step, since when it is there, and when it said so (its own wall clock, seconds).

    ``own`` and ``waiting`` are those of a ``pace.Share``, 0 before the first.
    """

    step: int
    since: float
    told: float
    own: float = 0.0
    waiting: float = 0.0


def held_up_by(words: dict[int, Word | None], names: list[str], now: float) -> str:
    """One sentence on who is behind; empty when nobody is (all at the same step, all heard of)."""
    silent = [rank for rank, word in words.items() if word is None or now - word.told > _LOST]
    if silent:
        return f"{_named(silent, names)} not heard of for {_silence(words, silent, now)}"
    heard = {rank: word for rank, word in words.items() if word is not None}
    last, first = min(word.step for word in heard.values()), max(word.step for word in heard.values())
    if last == first:
        return ""
    behind = [rank for rank, word in heard.items() if word.step == last]
    age = max(now - heard[rank].since for rank in behind)
    return f"{_named(behind, names)} at step {last} for {age:.0f} s; the others are at step {first}"


def _silence(words: dict[int, Word | None], silent: list[int], now: float) -> str:
    ages = [now - word.told for rank in silent if (word := words[rank]) is not None]
    return f"{max(ages):.0f} s" if ages else "the whole run"


def _named(ranks: list[int], names: list[str]) -> str:
    verb = "are" if len(ranks) > 1 else "is"
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(f'{rank} ({names[rank]})' for rank in ranks)} {verb}"


class Watch:
    """This rank's word to the others, and its look at theirs. ``names`` are the ranks' hosts, by rank.

    ``pace`` is to be told where exchanges begin and end; without it nobody is called slow.
    ``store`` must be a connection of its own: one that waits in a collective's set-up would keep the word back.
    """

    def __init__(
        self,
        store: dist.Store,
        rank: int,
        names: list[str],
        patience: float,
        say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    ) -> None:
        self._store, self._rank, self._names = store, rank, names
        self._patience, self._say = patience, say
        self.pace = Pace()
        self._share, self._stragglers = Share(0.0, 0.0), Stragglers(names)
        self._step, self._since = 0, time.time()
        self._warned_at = -1
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sidings-watch", daemon=True)

    def start(self) -> None:
        self.tell()
        self._thread.start()

    def stop(self) -> None:
        """Wait for the thread; not for ever, for it may be asking a rank 0 that is gone."""
        self._ended.set()
        self._thread.join(_LOST)

    def at(self, step: int) -> None:
        """This rank begins ``step``. Cheap enough for every step: the thread tells it."""
        if step != self._step:
            self._step, self._since = step, time.time()

    def account(self) -> str:
        """Who is behind now, by the others' last words; empty when nobody is or the store is gone."""
        try:
            return held_up_by(self._words(), self._names, time.time())
        except (dist.DistError, RuntimeError):
            return "rank 0's store does not answer any more: rank 0 has ended"

    def _words(self) -> dict[int, Word | None]:
        return {rank: self._word(rank) for rank in range(len(self._names))}

    def _word(self, rank: int) -> Word | None:
        key = f"sidings/word/{rank}"
        return Word(**json.loads(self._store.get(key))) if self._store.check([key]) else None

    def tell(self) -> None:
        """Say where this rank is; the thread does so by itself every ``INTERVAL``."""
        word = Word(self._step, self._since, time.time(), self._share.own, self._share.waiting)
        self._store.set(f"sidings/word/{self._rank}", json.dumps(asdict(word)))

    def look(self) -> None:
        """Say who is slow, if this is rank 0 and steps have gone by since the last look; all have told by then."""
        share = self.pace.take()
        if share is None:
            return
        self._share = share
        if self._rank == 0:
            words = self._words()
            shares = {rank: Share(word.own, word.waiting) for rank, word in words.items() if word and word.own}
            shares[0] = share
            if len(shares) == len(words):
                for sentence in self._stragglers.look(shares):
                    self._say(sentence)

    def _run(self) -> None:
        while not self._ended.wait(INTERVAL):
            try:
                self.look()
                self.tell()
            except (dist.DistError, RuntimeError):
                return  # rank 0 has ended and its store with it: nobody is left to tell
            if time.time() - self._since > self._patience and self._warned_at != self._step:
                self._warned_at = self._step
                if account := self.account():
                    self._say(f"rank {self._rank} has waited for {self._patience:.0f} s: {account}")
