"""What a user of the `lightkube` package writes; prints what it was answered as one JSON document."""

import json

from lightkube import ApiError, Client, codecs
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Pod

MANIFEST = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: light}
spec:
  replicatedJobs:
  - name: main
    template:
      spec:
        parallelism: 2
        completions: 2
        template:
          spec:
            restartPolicy: Never
            containers: [{name: main, image: python, command: [sh, -c, "echo from $(hostname)"]}]
"""


def main():
    job_sets = create_namespaced_resource("jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets")
    client = Client(namespace="default", field_manager="me")
    [job_set] = codecs.load_all_yaml(MANIFEST)
    client.apply(job_set)
    client.wait(job_sets, "light", for_conditions=["Completed"])
    pods = list(client.list(Pod, labels={"jobset.sigs.k8s.io/jobset-name": "light"}))
    logs = sorted("".join(client.log(pod.metadata.name)).strip() for pod in pods)

    settings = ConfigMap(metadata=ObjectMeta(name="light"), data={"a": "1"})
    created = client.create(settings)
    watched = []
    client.patch(ConfigMap, "light", {"data": {"a": "2"}})
    since = created.metadata.resourceVersion
    for kind, changed in client.watch(ConfigMap, resource_version=since, fields={"metadata.name": "light"}):
        watched.append([kind, changed.data["a"]])
        break
    try:
        client.create(settings)
        conflict = None
    except ApiError as error:
        conflict = [error.status.code, error.status.reason]
    replaced = client.replace(ConfigMap(metadata=ObjectMeta(name="light"), data={"a": "3"}))
    client.delete(ConfigMap, "light")
    client.delete(job_sets, "light")
    answers = {"pods": len(pods), "logs": logs, "watched": watched, "conflict": conflict, "replaced": replaced.data}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
