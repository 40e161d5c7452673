from sidings.api.kinds.lease import KIND


def test_rules():
    assert KIND.rules.validate({"spec": {"leaseDurationSeconds": 40, "leaseTransitions": 0}}) == []
    spec = {"leaseDurationSeconds": 0, "leaseTransitions": -1}
    assert [str(error) for error in KIND.rules.validate({"spec": spec})] == [
        "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ]
