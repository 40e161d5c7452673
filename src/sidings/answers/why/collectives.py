"""Which rank the others waited for in vain, in a collective operation or in the rendezvous before the first.

Ranks that wait tell of their timeout; the cause is the rank that does not: it hangs, is gone or was never started. So
the logs of all ranks are compared, and the pods that there are with what torchrun was told to expect.
"""

from __future__ import annotations

import re

from sidings.answers import codes
from sidings.answers.family import Family, short_name
from sidings.answers.resubmission import Revision
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import remedies
from sidings.answers.why.quota import listed
from sidings.api.objects import Object, key_of, name_of, uid_of

CODES = frozenset({codes.COLLECTIVE_TIMED_OUT, codes.RENDEZVOUS_TIMED_OUT})

_WAITED = re.compile(
    r"Watchdog caught collective operation timeout|Timed out waiting \d+ms for (?:recv|send) operation"
    r"|RendezvousTimeoutError|DistStoreError: Timed out|client socket has timed out"
)
SHOWN = 5


def who_is_missing(
    code: str, family: Family, pod: Object, container: Object, around: Surroundings, cause: str, logs: str
) -> tuple[str, str]:
    """(cause, remedy); those given where nobody is known to be missing."""
    pods, told = len(family.pods), remedies.nodes_told(container)
    if code == codes.RENDEZVOUS_TIMED_OUT and told is not None and told > pods:
        revision = Revision(family.root)
        path = revision.container(pod, container["name"])
        if path is not None and remedies.nodes(revision, path, container, pods):
            return f"torchrun waits for --nnodes={told}, and the job has {pods} pods", revision.command(around)
    silent = [each for each in family.pods if uid_of(each) in around.logs and not _waited(around.logs[uid_of(each)])]
    waited = [each for each in family.pods if uid_of(each) in around.logs and each not in silent]
    unheard = [each for each in family.pods if uid_of(each) not in around.logs]
    missing = [*silent, *unheard]
    if not waited or not missing:
        return cause, logs
    first = missing[0]
    words = f"{_listed(waited)} waited for {_listed(missing)}"
    verb = "logs" if first in silent else "describe"
    what = [name_of(first)] if verb == "logs" else ["pod", name_of(first)]
    return words, around.kubectl(verb, *what, "-n", key_of(first).namespace)


def _waited(lines: list[str]) -> bool:
    return any(_WAITED.search(line) for line in lines)


def _listed(pods: list[Object]) -> str:
    return listed([short_name(pod) for pod in pods], SHOWN)
