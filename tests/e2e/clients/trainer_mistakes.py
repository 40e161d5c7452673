"""What users of the `kubeflow` SDK get wrong; prints how each mistake was answered."""

import functools
import json
import sys

from kubeflow.trainer import CustomTrainer, TrainerClient
from kubeflow.trainer.options import Labels, Name


def imports_what_is_missing():
    import no_such_module

    no_such_module.train()


RATE = 0.1
ERRORS = ("ModuleNotFoundError: ", "NameError: ")
"""How the lines begin that say what went wrong."""


def uses_what_is_outside():
    print(RATE)


def answer(client, function, *options, **trainer):
    """The error that the SDK raises; or the job's end and what its nodes say of it.

    The pod of a node may be gone: a Job that has failed takes along what has not ended yet.
    """
    try:
        job = client.train(runtime="impatient", trainer=CustomTrainer(func=function, **trainer), options=options)
        status = client.wait_for_job_status(job, status={"Complete", "Failed"}, timeout=120).status
    except Exception as error:
        cause = error.__cause__ or error
        return [type(error).__name__, str(getattr(cause, "body", None) or cause)]
    nodes = [step.name for step in client.get_job(job).steps]
    lines = {line for node in nodes for line in client.get_job_logs(job, step=node) if line.startswith(ERRORS)}
    return [status, *sorted(lines)]


def main():
    client = TrainerClient()
    namespace = {}
    exec("def typed_at_a_prompt(): pass", namespace)
    answers = {
        "missing import": answer(client, imports_what_is_missing, num_nodes=2),
        "outside": answer(client, uses_what_is_outside),
        "no source": answer(client, namespace["typed_at_a_prompt"]),
        "partial": answer(client, functools.partial(print, 1)),
        "no function": answer(client, 7),
        "long name": answer(client, imports_what_is_missing, Name("n" * 60), num_nodes=2),
        "bad label": answer(client, imports_what_is_missing, Labels({"a b": "c"})),
        "reserved": answer(client, imports_what_is_missing, env={"PET_NNODES": "3"}),
        "negative": answer(client, imports_what_is_missing, num_nodes=-1),
    }
    answers["jobs"] = [job.status for job in client.list_jobs()]
    json.dump(answers, sys.stdout)


main()
