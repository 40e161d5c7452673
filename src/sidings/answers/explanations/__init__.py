"""What the codes of findings mean: a title, how grave it is, how it comes about and how it is mended.

``sidings explain`` prints an entry, and ``docs/findings.md`` is made of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from sidings.answers.explanations import logs, pods, queues, submissions
from sidings.answers.explanations.explanation import Explanation
from sidings.answers.finding import Finding

EXPLANATIONS: Mapping[str, Explanation] = {
    **queues.EXPLANATIONS,
    **pods.EXPLANATIONS,
    **logs.EXPLANATIONS,
    **submissions.EXPLANATIONS,
}


def finding(code: str, where: str, what: str, *, cause: str = "", remedy: str = "") -> Finding:
    """A finding with the severity of its code."""
    return Finding(code, EXPLANATIONS[code].severity, where, what, cause, remedy)
