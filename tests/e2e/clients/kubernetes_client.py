"""What a user of the `kubernetes` package writes; prints what it was answered as one JSON document."""

import json

from kubernetes import client, config, dynamic, watch

NAMESPACE = "default"
GROUP = ("trainer.kubeflow.org", "v1alpha1", NAMESPACE, "trainjobs")


def job():
    container = client.V1Container(
        name="main", image="python", command=["sh", "-c", "echo index $JOB_COMPLETION_INDEX"]
    )
    template = client.V1PodTemplateSpec(spec=client.V1PodSpec(restart_policy="Never", containers=[container]))
    spec = client.V1JobSpec(completions=2, parallelism=2, completion_mode="Indexed", template=template)
    return client.V1Job(metadata=client.V1ObjectMeta(name="typed", labels={"app": "typed"}), spec=spec)


def main():
    config.load_kube_config()
    core, batch, custom = client.CoreV1Api(), client.BatchV1Api(), client.CustomObjectsApi()
    made = batch.create_namespaced_job(NAMESPACE, job())
    seen = []
    events = watch.Watch()
    since = made.metadata.resource_version
    for event in events.stream(batch.list_namespaced_job, NAMESPACE, resource_version=since, timeout_seconds=60):
        seen.append(event["type"])
        if event["object"].status.succeeded == 2:
            events.stop()
    pods = core.list_namespaced_pod(NAMESPACE, label_selector="job-name=typed").items
    logs = sorted(core.read_namespaced_pod_log(pod.metadata.name, NAMESPACE) for pod in pods)
    patched = batch.patch_namespaced_job("typed", NAMESPACE, {"metadata": {"labels": {"app": "patched"}}})
    try:
        batch.create_namespaced_job(NAMESPACE, job())
        conflict = None
    except client.ApiException as error:
        conflict = [error.status, json.loads(error.body)["reason"]]

    train_job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "custom"},
        "spec": {"suspend": True, "runtimeRef": {"name": "torch-distributed"}},
    }
    custom.create_namespaced_custom_object(*GROUP, train_job)
    body = {"metadata": {"annotations": {"note": "patched"}}}
    note = custom.patch_namespaced_custom_object(*GROUP, "custom", body)["metadata"]["annotations"]["note"]
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "1"}}
    maps.server_side_apply(body=applied, name="applied", namespace=NAMESPACE, field_manager="me")
    found = maps.get(name="applied", namespace=NAMESPACE)
    page = core.list_namespaced_config_map(NAMESPACE, limit=1)
    custom.delete_namespaced_custom_object(*GROUP, "custom")
    maps.delete(name="applied", namespace=NAMESPACE)
    batch.delete_namespaced_job("typed", NAMESPACE, propagation_policy="Foreground")
    answers = {
        "watched": [seen[0], "MODIFIED" in seen],
        "logs": logs,
        "patched": patched.metadata.labels["app"],
        "conflict": conflict,
        "note": note,
        "applied": found.data.to_dict(),
        "page": [len(page.items), bool(page.metadata._continue)],
        "events": sorted({event.reason for event in core.list_namespaced_event(NAMESPACE).items}),
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
