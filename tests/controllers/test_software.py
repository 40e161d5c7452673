from sidings.controllers.software import Need, missing

NEED = Need(("mpirun", "kubectl"), "apt-get install them")


def test_nothing_missing_nothing_told() -> None:
    assert missing("spec.x", NEED, "MPIJob", lambda program: True) is None


def test_what_is_missing_is_named_with_its_remedy() -> None:
    found = missing("spec.x", NEED, "MPIJob", lambda program: program == "mpirun")
    assert found is not None
    assert found.reason == "SoftwareMissing"
    assert found.message.startswith("spec.x needs kubectl, which pods do not find on this machine")
    assert found.message.endswith("(apt-get install them), then delete the MPIJob and create it again")
