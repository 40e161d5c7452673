"""Writes docs/findings.md from the codes: ``python -m tests.answers.findings_page > docs/findings.md``."""

from __future__ import annotations

from sidings.answers.explanations import EXPLANATIONS

HEAD = """\
# Findings

What `sidings why` and `sidings check` find, by code. Generated from the program by
`python -m tests.answers.findings_page > docs/findings.md`; a test compares. `sidings explain CODE` prints an entry.

`why NAME` walks from a job to its Workload, LocalQueue, ClusterQueue and cohort, to its pods, nodes and the log of the
rank that failed first. `check -f FILE` asks the same of a manifest, with a dry run on the server and the Workload that
Kueue would make of the job. Both only read, and work on any cluster: `--context NAME`. Kinds that a user may not list
are left out of the answer, never taken for missing.

An engine also writes errors and warnings as events on the jobs, with the finding's name as reason (`NeverEnough`) and
its code in the message; what only logs tell is left to `why`. On another cluster nothing is ever written. `sidings get`
shows the code of the first finding in its REASON column.

A command that is printed mends what was found. Where pods have to be otherwise, which no accepted job allows, it
deletes the job and submits it again with that one change: `kubectl patch --dry-run=client ... | kubectl replace --force
-f -`. Where only the author of the job knows the change, the command shows what he needs.

* **error**: the job never goes on by itself. `check` exits with 6 (4 if the server would refuse the object).
* **warning**: it goes on, and somebody should look.
* **note**: it goes on by itself, or works and may be regretted later.

When a job would be admitted is told in ends of others, because nobody knows how long a job runs: the decision is the
scheduler's own, played forward while those that were admitted first end first. Nodes are taken as they are: on a
cluster that adds nodes by need, SDG-201 and SDG-205 are about those of now."""


def render() -> str:
    parts = [HEAD]
    for code, found in EXPLANATIONS.items():
        parts.append(f"## {code}\n\n**{found.title}** ({found.severity})\n\n{found.meaning}\n\n{found.mending}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    print(render(), end="")
