from datetime import UTC, datetime

from sidings.api import table
from sidings.api.kinds.jobset import KIND
from tests.api.jobset.jobsets import jobset

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_columns() -> None:
    made = jobset(suspend=True)
    made["metadata"]["creationTimestamp"] = "2026-11-30T11:58:00Z"
    made["status"] = {
        "terminalState": "Completed",
        "restarts": 3,
        "conditions": [{"type": "Suspended", "status": "True"}, {"type": "Completed", "status": "True"}],
    }
    assert table.cells(KIND, made, NOW) == ["js", "Completed", "3", "True", "true", "2m"]
    names = ["Name", "TerminalState", "Restarts", "Completed", "Suspended", "Age"]
    assert [column.name for column in KIND.columns] == names
