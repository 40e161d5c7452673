"""The service account of new pods and the volume with its token."""

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import SERVICE_ACCOUNTS
from sidings.api.service_accounts import TOKEN_DIRECTORY
from sidings.api.status import Forbidden, NotFound
from sidings.registry.admission.plugin import Operation, Request
from sidings.registry.admission.service_accounts import ServiceAccount


class Accounts:
    """A reader of service accounts: name -> the rest of the object."""

    def __init__(self, **accounts: Object) -> None:
        self._accounts = accounts

    def get(self, resource, name, namespace=""):
        assert (resource, namespace) == (SERVICE_ACCOUNTS, "n")
        if name not in self._accounts:
            raise NotFound(f'serviceaccounts "{name}" not found')
        return {"metadata": {"name": name}, **self._accounts[name]}

    def list(self, resource, namespace=""):
        raise AssertionError("nobody needs all of them")


def admitted(spec: Object, **accounts: Object) -> Object:
    """The spec of a pod as it is after admission."""
    kind = catalog.builtin().by_plural("", "v1", "pods")
    pod = {"metadata": {"name": "p", "uid": "u-1"}, "spec": {"containers": [{"name": "c"}], **spec}}
    request = Request(Operation.CREATE, kind, "n", "p", pod, None, "", False, lambda text: None)
    ServiceAccount().admit(request, Accounts(**accounts))
    return pod["spec"]


def test_default_is_taken_for_granted():
    spec = admitted({})
    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("default", "default")


def test_any_other_must_exist():
    with pytest.raises(Forbidden) as caught:
        admitted({"serviceAccountName": "trainer"})
    assert caught.value.message == (
        'pods "p" is forbidden: error looking up service account n/trainer: serviceaccount "trainer" not found'
    )
    assert admitted({"serviceAccountName": "trainer"}, trainer={})["serviceAccount"] == "trainer"


def test_every_container_finds_the_token_at_the_usual_path():
    spec = admitted({"initContainers": [{"name": "i"}], "volumes": [{"name": "data", "emptyDir": {}}]})
    data, volume = spec["volumes"]
    assert data["name"] == "data"
    assert volume["name"].startswith("kube-api-access-") and len(volume["name"]) == len("kube-api-access-") + 5
    mount = {"name": volume["name"], "readOnly": True, "mountPath": TOKEN_DIRECTORY}
    assert [c["volumeMounts"] for c in (*spec["initContainers"], *spec["containers"])] == [[mount], [mount]]
    token, authority, namespace = volume["projected"]["sources"]
    assert token == {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}
    assert authority["configMap"]["name"] == "kube-root-ca.crt"
    assert namespace["downwardAPI"]["items"][0]["fieldRef"]["fieldPath"] == "metadata.namespace"
    assert volume["projected"]["defaultMode"] == 0o644


@pytest.mark.parametrize(
    ("of_pod", "of_account", "mounted"),
    [(None, None, True), (False, None, False), (None, False, False), (True, False, True), (False, True, False)],
)
def test_the_pod_decides_before_the_account(of_pod, of_account, mounted):
    pod = {} if of_pod is None else {"automountServiceAccountToken": of_pod}
    account = {} if of_account is None else {"automountServiceAccountToken": of_account}
    assert ("volumes" in admitted(pod, default=account)) is mounted


def test_what_a_container_mounts_there_itself_stays():
    own = {"name": "mine", "mountPath": TOKEN_DIRECTORY}
    spec = admitted({"containers": [{"name": "c", "volumeMounts": [own]}]})
    assert spec["containers"][0]["volumeMounts"] == [own]
    assert "volumes" not in spec


def test_a_volume_that_is_there_already_is_shared():
    spec = admitted({"volumes": [{"name": "kube-api-access-abcde", "projected": {}}]})
    assert len(spec["volumes"]) == 1
    assert spec["containers"][0]["volumeMounts"][0]["name"] == "kube-api-access-abcde"


def test_pull_secrets_of_the_account_are_the_pods():
    secrets = [{"name": "registry"}]
    assert admitted({}, default={"imagePullSecrets": secrets})["imagePullSecrets"] == secrets
    own = [{"name": "own"}]
    assert admitted({"imagePullSecrets": own}, default={"imagePullSecrets": secrets})["imagePullSecrets"] == own
