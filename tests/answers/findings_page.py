"""Writes docs/findings.md from the codes: ``python -m tests.answers.findings_page > docs/findings.md``."""

from __future__ import annotations

from sidings.answers.codes import EXPLANATIONS

HEAD = """\
# Findings

What `sidings why` and `sidings check` find, by code. Generated from the program by
`python -m tests.answers.findings_page > docs/findings.md`; a test compares. `sidings explain CODE` prints an entry.

`why NAME` walks from a job to its Workload, LocalQueue, ClusterQueue and cohort, to its pods, nodes and the log of the
rank that failed first. `check -f FILE` asks the same of a manifest, with a dry run on the server and the Workload that
Kueue would make of the job. Both only read, and work on any cluster: `--context NAME`. Kinds that a user may not list
are left out of the answer, never taken for missing.

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
