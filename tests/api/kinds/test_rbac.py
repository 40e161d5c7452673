from sidings.api.kinds import rbac


def test_paths_are_for_the_whole_cluster_only():
    rules = [{"verbs": ["get"], "nonResourceURLs": ["/metrics"]}]
    validate = rbac.RoleRules().validate
    assert validate({"kind": "ClusterRole", "rules": rules}) == []
    assert [str(error) for error in validate({"kind": "Role", "rules": rules})] == [
        'rules[0].nonResourceURLs: Invalid value: ["/metrics"]: namespaced rules cannot apply to non-resource URLs'
    ]
