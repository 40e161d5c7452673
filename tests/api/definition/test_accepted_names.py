from sidings.api import catalog, conditions
from sidings.api.definition.accepted_names import Taken, is_established, judge, taken

NOBODY = Taken(frozenset(), frozenset())
NAMES = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList", "shortNames": ["wd"]}
NOW, LATER = "2026-11-30T00:00:00Z", "2026-11-30T00:01:00Z"


def definition(status=None, group="example.com", **names):
    names = {**NAMES, **names}
    made = {"metadata": {"name": f"{names['plural']}.{group}"}, "spec": {"group": group, "names": names}}
    return {**made, "status": status} if status else made


def told(status, type_="NamesAccepted"):
    found = conditions.find(status["conditions"], type_)
    return found["status"], found["reason"], found["message"]


def test_names_that_are_free_are_accepted():
    status = judge(definition(), NOBODY, NOW)
    assert status["acceptedNames"] == NAMES
    assert told(status) == ("True", "NoConflicts", "no conflicts found")
    assert told(status, "Established") == ("True", "InitialNamesAccepted", "the initial names have been accepted")


def test_the_last_name_that_is_taken_is_the_reason():
    other = definition(judge(definition(plural="gadgets"), NOBODY, NOW), plural="gadgets")
    used = taken("example.com", "widgets.example.com", [other], ())
    status = judge(definition(), used, NOW)
    assert told(status) == ("False", "ListKindConflict", '"WidgetList" is already in use')
    assert told(status, "Established") == ("False", "NotAccepted", "not all names are accepted")
    assert status["acceptedNames"] == {"plural": "widgets", "kind": ""}, "upstream tells both always"
    assert not is_established({"status": status})


def test_short_names_are_told_together():
    used = Taken(frozenset(("wd", "w")), frozenset())
    status = judge(definition(shortNames=["wd", "w"]), used, NOW)
    assert told(status) == ("False", "ShortNamesConflict", '["wd" is already in use, "w" is already in use]')


def test_what_is_established_stays_so_under_its_old_names():
    first = judge(definition(), NOBODY, NOW)
    status = judge(definition(first, shortNames=["wd", "g"]), Taken(frozenset(("g",)), frozenset()), LATER)
    assert told(status) == ("False", "ShortNamesConflict", '"g" is already in use')
    assert is_established({"status": status})
    assert status["acceptedNames"] == NAMES
    assert [condition["lastTransitionTime"] for condition in status["conditions"]] == [LATER, NOW]


def test_a_name_that_is_free_again_is_accepted():
    refused = judge(definition(), Taken(frozenset(), frozenset(("Widget",))), NOW)
    assert judge(definition(refused), NOBODY, LATER)["acceptedNames"] == NAMES


def test_other_groups_and_the_definition_itself_take_nothing():
    accepted = {"acceptedNames": NAMES}
    assert taken("example.com", "widgets.example.com", [definition(accepted)], ()) == NOBODY
    assert taken("example.com", "widgets.example.com", [definition(accepted, "example.org")], ()) == NOBODY


def test_our_own_kinds_have_their_names_unless_it_is_their_definition():
    own = list(catalog.builtin())
    assert "TrainJob" in taken("trainer.kubeflow.org", "trainings.trainer.kubeflow.org", [], own).kinds
    assert "TrainJob" not in taken("trainer.kubeflow.org", "trainjobs.trainer.kubeflow.org", [], own).kinds
