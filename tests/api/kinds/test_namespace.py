from sidings.api.kinds.namespace import KIND

RULES = KIND.rules


def test_a_new_namespace_is_active_labelled_and_held():
    namespace = {"metadata": {"name": "team"}, "status": {"phase": "Odd"}}
    RULES.default(namespace)
    RULES.default_on_create(namespace)
    assert namespace == {
        "metadata": {"name": "team", "labels": {"kubernetes.io/metadata.name": "team"}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def test_an_update_changes_metadata_only():
    old = {"metadata": {"name": "team"}, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    new = {"metadata": {"name": "team", "labels": {"a": "b"}}, "status": {"phase": "Odd"}}
    RULES.prepare_for_update(new, old)
    assert new == {**old, "metadata": new["metadata"]}


def test_names_are_labels():
    assert RULES.name_complaints("a.b") != []
    assert RULES.name_complaints("a-b") == []
