import pytest

from sidings.api.status import NotAcceptable
from sidings.server.negotiation import Answer, Form, discovery_version, negotiate

TABLE = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)


@pytest.mark.parametrize(
    ("accept", "answer"),
    [
        ("", Answer()),
        ("*/*", Answer()),
        ("application/json", Answer()),
        ("application/json, */*", Answer()),
        ("application/json; charset=utf-8", Answer()),
        ("application/vnd.kubernetes.protobuf,application/json", Answer()),
        ("application/vnd.kubernetes.protobuf, */*", Answer()),
        ("application/yaml", Answer(media_type="application/yaml")),
        (TABLE, Answer(Form.TABLE)),
        ("application/json;as=Table;v=v1beta1;g=meta.k8s.io", Answer(Form.TABLE, version="v1beta1")),
        ("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", Answer(Form.PARTIAL_LIST)),
        ("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json", Answer(Form.PARTIAL)),
        ("application/json;as=Thing;v=v1;g=meta.k8s.io,application/json", Answer()),
        ("application/json;as=Table;v=v1;g=other.io,application/json", Answer()),
    ],
)
def test_the_first_form_that_we_have_wins(accept: str, answer: Answer) -> None:
    assert negotiate(accept) == answer


@pytest.mark.parametrize("accept", ["text/html", "application/vnd.kubernetes.protobuf"])
def test_nothing_on_the_list_is_refused(accept: str) -> None:
    with pytest.raises(NotAcceptable, match="Available representations: application/json"):
        negotiate(accept)


@pytest.mark.parametrize(
    ("accept", "version"),
    [
        ("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json", "v2"),
        (
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
            "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
            "v2",
        ),
        ("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", "v2beta1"),
        ("application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json", ""),
        ("application/json", ""),
        ("*/*", ""),
        ("", ""),
    ],
)
def test_aggregated_discovery_is_asked_for_by_name(accept: str, version: str) -> None:
    assert discovery_version(accept) == version
