from sidings.api.objects import Key
from sidings.controllers.kueue.jobs.naming import Naming

WORKLOAD, OTHER = Key("n", "w"), Key("n", "o")
JOB, SECOND = Key("n", "j"), Key("n", "k")


def test_all_jobs_that_name_a_workload() -> None:
    naming = Naming()
    naming.names(JOB, WORKLOAD)
    naming.names(JOB, WORKLOAD)
    naming.names(SECOND, WORKLOAD)
    assert sorted(naming.jobs_of(WORKLOAD)) == [JOB, SECOND]
    assert not naming.jobs_of(OTHER)


def test_a_job_names_one() -> None:
    naming = Naming()
    naming.names(JOB, WORKLOAD)
    naming.names(JOB, OTHER)
    assert not naming.jobs_of(WORKLOAD)
    assert naming.jobs_of(OTHER) == (JOB,)


def test_of_jobs_that_are_gone_nothing_is_kept() -> None:
    naming = Naming()
    for number in range(100):
        naming.names(Key("n", f"j{number}"), WORKLOAD)
    for number in range(100):
        naming.forget(Key("n", f"j{number}"))
    naming.forget(JOB)
    assert len(naming) == 0
    assert not naming.jobs_of(WORKLOAD)
