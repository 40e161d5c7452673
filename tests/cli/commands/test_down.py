from sidings.answers.family import families
from sidings.cli.commands import down
from tests.answers.objects import job, pod, running


def test_the_refusal_names_the_jobs_and_both_ways_out() -> None:
    jobs = [job(None, name=f"j{number}", pods=1) for number in range(7)]
    pods = [pod(jobs[0], 0, "Running", node="n", containers=[running()])]
    error = down.refusal(families(jobs=jobs, pods=pods))
    assert str(error) == "7 jobs are not finished"
    assert error.cause.startswith('Job "j0" Running, Job "j1" Queued')
    assert error.cause.endswith("and 2 more")
    assert "--suspend" in error.remedy
    assert "--force" in error.remedy
