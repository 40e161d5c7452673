from sidings.controllers.jobset import headless_service
from tests.controllers.jobset.cluster import make_jobset


def test_the_service_selects_the_jobsets_pods_and_has_no_address() -> None:
    service = headless_service.service_for(make_jobset())
    assert service["metadata"]["name"] == "js"
    assert service["metadata"]["ownerReferences"][0]["uid"] == "js-uid"
    assert service["spec"] == {
        "clusterIP": "None",
        "selector": {"jobset.sigs.k8s.io/jobset-name": "js"},
        "publishNotReadyAddresses": True,
    }


def test_names_of_unready_pods_may_be_hidden() -> None:
    jobset = make_jobset(network={"subdomain": "net", "publishNotReadyAddresses": False})
    service = headless_service.service_for(jobset)
    assert service["metadata"]["name"] == "net"
    assert "publishNotReadyAddresses" not in service["spec"]


def test_it_is_wanted_for_host_names_only() -> None:
    assert headless_service.is_wanted(make_jobset())
    assert not headless_service.is_wanted(make_jobset(network={"enableDNSHostnames": False}))
