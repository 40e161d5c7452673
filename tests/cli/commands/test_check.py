from datetime import UTC, datetime

from sidings.answers.surroundings import Surroundings
from sidings.cli.commands import check


def test_what_the_manifests_bring_counts_as_there() -> None:
    around = Surroundings(datetime(2026, 1, 1, tzinfo=UTC), {"Secret": []})
    given = [
        {"kind": "Namespace", "metadata": {"name": "team", "labels": {"a": "b"}}},
        {"kind": "Secret", "metadata": {"name": "here"}},
        {"kind": "ConfigMap", "metadata": {"name": "there", "namespace": "other"}},
        {"kind": "Job", "metadata": {"name": "j"}},
    ]
    known = check.with_given(around, given, "team")
    assert known.find("Secret", "here", "team")
    assert known.find("ConfigMap", "there", "other")
    assert known.find("Namespace", "team")
    assert known.of_kind("Job") == []
    assert around.of_kind("Secret") == []
