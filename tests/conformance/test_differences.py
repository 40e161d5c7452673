"""The page on differences says what the replay allows, no more and no less."""

from tests.conformance import differences, traces


def test_the_page_has_every_rule_with_its_reason() -> None:
    page = differences.PAGE.read_text()
    assert differences.written(page, traces.load_rules()) == page, "run: python -m tests.conformance.differences"


def test_rules_with_the_same_reason_share_a_row() -> None:
    rules = traces.load_rules()
    reasons = {" ".join(rule.reason.split()) for rule in rules}
    assert differences.render(rules).count("\n") == 2 + len(reasons)
