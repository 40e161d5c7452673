"""The gate TrainJobStatus: what a pod is told and given."""

from __future__ import annotations

from sidings.controllers.trainjob import job_set
from sidings.controllers.trainjob.plugins.progress import StatusServer
from tests.trainjobs import initializer_job, runtime, train_job, trainer_job

SERVER = StatusServer("https://api.svc", "PEM")
AUDIENCE = "trainer.kubeflow.org/v1alpha1/namespaces/team/trainjobs/tj/status"


def test_pods_that_train_get_url_authority_and_token() -> None:
    made = runtime(initializer_job("dataset-initializer"), trainer_job(), policy={"torch": {}})
    built = job_set.build(train_job({}), made, SERVER)
    other, node = (job["template"]["spec"]["template"]["spec"] for job in built.job_set["spec"]["replicatedJobs"])
    assert "volumes" not in other
    env = {item["name"]: item.get("value") for item in node["containers"][0]["env"]}
    assert env["KUBEFLOW_TRAINER_SERVER_URL"] == f"https://api.svc/apis/{AUDIENCE}"
    assert env["KUBEFLOW_TRAINER_SERVER_CA_CERT"] == "/var/run/secrets/kubeflow/trainer/ca.crt"
    assert env["KUBEFLOW_TRAINER_SERVER_TOKEN"] == "/var/run/secrets/kubeflow/trainer/token"
    ((volume,),) = (node["volumes"],)
    assert volume["projected"]["sources"] == [
        {"serviceAccountToken": {"audience": AUDIENCE, "expirationSeconds": 3600, "path": "token"}},
        {"configMap": {"name": "tj-tls-config", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ]
    (companion,) = built.companions
    assert companion.make()["data"] == {"ca.crt": "PEM"}


def test_without_the_gate_there_is_nothing() -> None:
    built = job_set.build(train_job({}), runtime(policy={"torch": {}}))
    assert built.companions == []
    assert "volumes" not in built.job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
