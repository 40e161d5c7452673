from sidings.api.objects import Key
from sidings.controllers.kueue.tallies import Entry, Tallies

LOCAL = Key("team", "lq")
W = Key("team", "w")
CPU = ("default", "cpu")


def test_who_waits_who_holds_and_who_is_admitted() -> None:
    tallies = Tallies()
    tallies.put(W, Entry(LOCAL, "cq"))
    tallies.put(Key("team", "held"), Entry(LOCAL, "cq", {CPU: 2000}))
    tallies.put(Key("team", "runs"), Entry(LOCAL, "cq", {CPU: 1000}, admitted=True))
    for tally in (tallies.of_cluster_queue("cq"), tallies.of_local_queue(LOCAL)):
        assert (tally.pending, tally.reserving, tally.admitted) == (1, 2, 1)
        assert (tally.reserved[CPU], tally.used[CPU]) == (3000, 1000)


def test_what_counted_before_counts_no_more() -> None:
    tallies = Tallies()
    tallies.put(W, Entry(LOCAL, "cq"))
    tallies.put(W, Entry(LOCAL, "cq", {CPU: 1000}, admitted=True))
    tallies.put(W, None)
    tally = tallies.of_cluster_queue("cq")
    assert (tally.pending, tally.reserving, tally.admitted) == (0, 0, 0)
    assert (tally.reserved[CPU], tally.used[CPU]) == (0, 0)


def test_one_that_waits_in_no_cluster_queue_counts_for_its_local_queue() -> None:
    tallies = Tallies()
    tallies.put(W, Entry(LOCAL, ""))
    assert tallies.of_local_queue(LOCAL).pending == 1
    assert tallies.of_cluster_queue("").pending == 0
