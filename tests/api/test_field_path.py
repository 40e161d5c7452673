import pytest

from sidings.api import field_path

POD = {
    "metadata": {
        "name": "p",
        "namespace": "n",
        "uid": "u",
        "labels": {"b": 'say "hi"', "a.io/x": "1"},
        "annotations": {"k": "v"},
    },
    "spec": {"nodeName": "node-1", "serviceAccountName": "default"},
    "status": {"podIP": "10.0.0.2", "podIPs": [{"ip": "10.0.0.2"}, {"ip": "fd00::2"}]},
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("metadata.name", "p"),
        ("metadata.namespace", "n"),
        ("metadata.uid", "u"),
        ("metadata.labels['a.io/x']", "1"),
        ("metadata.labels['gone']", ""),
        ("metadata.annotations['k']", "v"),
        ("metadata.labels", 'a.io/x="1"\nb="say \\"hi\\""'),
        ("spec.nodeName", "node-1"),
        ("spec.serviceAccountName", "default"),
        ("status.podIP", "10.0.0.2"),
        ("status.podIPs", "10.0.0.2,fd00::2"),
        ("status.hostIP", ""),
        ("status.hostIPs", ""),
    ],
)
def test_a_pod_shows_its_fields_as_text(path: str, text: str) -> None:
    assert field_path.value(POD, path) == text


@pytest.mark.parametrize("path", ["spec.containers", "metadata", "metadata.labels[a]", "status.podIP['x']"])
def test_other_fields_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="unsupported fieldPath"):
        field_path.value(POD, path)
