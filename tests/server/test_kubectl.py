"""The real kubectl against a real server: what people type must work as on a cluster.

No controller runs here: pods stay pending, and what a controller would write is patched in.
"""

import asyncio
import json

import pytest

from sidings.api.objects import Object
from tests.server.conftest import Served

CONFIG_MAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: demo}}
data: {a: "1"}
"""

POD = """
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: demo}}
spec:
  restartPolicy: Never
  containers:
  - {name: main, image: python:3.11, command: [sleep, "5"]}
"""

JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js}
spec:
  replicatedJobs:
  - name: workers
    template:
      spec:
        parallelism: 2
        completions: 2
        template:
          spec:
            restartPolicy: Never
            containers: [{name: main, image: python:3.11}]
"""

RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: plain}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers: [{name: node, image: python:3.11}]
"""

TRAIN_JOB = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tj}
spec:
  runtimeRef: {name: plain, kind: TrainingRuntime}
  trainer: {numNodes: 2}
"""


async def test_version(served: Served) -> None:
    found = json.loads(await served.kubectl.ok("version", "-o", "json"))
    assert found["serverVersion"]["major"] == "1"
    assert "+sidings-" in found["serverVersion"]["gitVersion"]


async def test_imperative_commands_send_protobuf(served: Served) -> None:
    kubectl = served.kubectl
    assert await kubectl.ok("create", "ns", "team") == "namespace/team created\n"
    assert await kubectl.ok("create", "configmap", "c", "--from-literal=a=b") == "configmap/c created\n"
    assert await kubectl.ok("get", "cm", "c", "-o", "jsonpath={.data.a}") == "b"
    assert await kubectl.ok("create", "secret", "generic", "s", "--from-literal=k=v") == "secret/s created\n"
    assert await kubectl.ok("get", "secret", "s", "-o", "jsonpath={.data.k}") == "dg=="
    assert await kubectl.ok("create", "job", "j", "--image=i", "--", "echo", "x") == "job.batch/j created\n"
    again = await kubectl("create", "ns", "team")
    assert (again.code, again.err) == (1, 'Error from server (AlreadyExists): namespaces "team" already exists\n')


@pytest.mark.parametrize("how", [[], ["--server-side"]])
async def test_apply_and_apply_again(served: Served, how: list[str]) -> None:
    kubectl = served.kubectl
    await kubectl.ok("apply", "-f", "-", *how, stdin=RUNTIME)
    for manifest, name, change in (
        (CONFIG_MAP, "configmap/settings", ('"1"', '"2"')),
        (POD, "pod/p", ("app: demo", "app: other")),
        (JOB_SET, "jobset.jobset.x-k8s.io/js", ("{name: js}", "{name: js, labels: {a: b}}")),
        (TRAIN_JOB, "trainjob.trainer.kubeflow.org/tj", ("{name: tj}", "{name: tj, labels: {a: b}}")),
    ):
        words = ("serverside-applied",) * 3 if how else ("created", "unchanged", "configured")
        assert await kubectl.ok("apply", "-f", "-", *how, stdin=manifest) == f"{name} {words[0]}\n"
        if name.startswith("jobset") and not how:
            continue  # upstream refuses this too: defaulted lists are sent back incomplete
        assert await kubectl.ok("apply", "-f", "-", *how, stdin=manifest) == f"{name} {words[1]}\n"
        assert await kubectl.ok("apply", "-f", "-", *how, stdin=manifest.replace(*change)) == f"{name} {words[2]}\n"


async def test_get(served: Served) -> None:
    kubectl = served.kubectl
    await kubectl.ok("apply", "-f", "-", stdin=POD)
    table = await kubectl.ok("get", "pods")
    assert table.split()[:5] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert table.splitlines()[1].split()[:4] == ["p", "0/1", "Pending", "0"]
    assert "NOMINATED NODE" in await kubectl.ok("get", "pods", "-o", "wide")
    assert await kubectl.ok("get", "pods", "-o", "name") == "pod/p\n"
    assert (await kubectl.ok("get", "pods", "-A")).split()[0] == "NAMESPACE"
    assert "app=demo" in await kubectl.ok("get", "pods", "--show-labels")
    assert (await kubectl.ok("get", "pod", "p", "-o", "yaml")).startswith("apiVersion: v1\nkind: Pod\n")
    assert await kubectl.ok("get", "po", "-l", "app in (demo)", "-o", "name") == "pod/p\n"
    assert await kubectl.ok("get", "po", "--field-selector", "status.phase=Pending", "-o", "name") == "pod/p\n"
    assert await kubectl("get", "pods", "-l", "app=none") == (0, "", "No resources found in default namespace.\n")
    assert "p" in await kubectl.ok("get", "pods", "--sort-by", ".metadata.name")
    missing = await kubectl("get", "pod", "zz")
    assert missing == (1, "", 'Error from server (NotFound): pods "zz" not found\n')
    unknown = await kubectl("get", "foos")
    assert unknown == (1, "", 'error: the server doesn\'t have a resource type "foos"\n')


async def test_get_watch(served: Served) -> None:
    await served.kubectl.ok("apply", "-f", "-", stdin=CONFIG_MAP)
    watching = await served.kubectl.start("get", "cm", "-w", "--no-headers")
    assert watching.stdout is not None
    async with asyncio.timeout(60):
        assert (await watching.stdout.readline()).split()[:2] == [b"settings", b"1"]
        await served.kubectl.ok("patch", "cm", "settings", "-p", '{"data":{"b":"2"}}')
        assert (await watching.stdout.readline()).split()[:2] == [b"settings", b"2"]
        served.server.close()
        await watching.wait()


async def test_explain(served: Served) -> None:
    text = await served.kubectl.ok("explain", "trainjob.spec.trainer.numNodes")
    assert text.startswith("GROUP:      trainer.kubeflow.org\nKIND:       TrainJob\nVERSION:    v1alpha1\n")
    assert "FIELD: numNodes <integer>" in text
    assert "KIND:       JobSet" in await served.kubectl.ok("explain", "jobset.spec.failurePolicy")
    assert "FIELDS:" in await served.kubectl.ok("explain", "pod.spec.containers", "--recursive")
    unknown = await served.kubectl("explain", "job.spec.nope")
    assert unknown.err == 'error: field "nope" does not exist\n'


async def test_patch_label_annotate_edit(served: Served) -> None:
    kubectl = served.kubectl
    await kubectl.ok("apply", "-f", "-", stdin=POD)
    await kubectl.ok("apply", "-f", "-", stdin=JOB_SET)
    assert await kubectl.ok("label", "pod", "p", "x=y") == "pod/p labeled\n"
    assert await kubectl.ok("annotate", "jobset", "js", "a=b") == "jobset.jobset.x-k8s.io/js annotated\n"
    image = '{"spec":{"containers":[{"name":"main","image":"python:3.12"}]}}'
    assert await kubectl.ok("patch", "pod", "p", "-p", image) == "pod/p patched\n"
    assert await kubectl.ok("get", "pod", "p", "-o", "jsonpath={.spec.containers[*].image}") == "python:3.12"
    suspend = '{"spec":{"suspend":true}}'
    refused = await kubectl("patch", "jobset", "js", "-p", suspend)
    assert "application/strategic-merge-patch+json is not supported by jobset.x-k8s.io/v1alpha2" in refused.err
    patched = await kubectl.ok("patch", "jobset", "js", "--type=merge", "-p", suspend)
    assert patched == "jobset.jobset.x-k8s.io/js patched\n"
    test = '[{"op":"test","path":"/spec/suspend","value":false}]'
    failed = await kubectl("patch", "jobset", "js", "--type=json", "-p", test)
    assert failed.code == 1


async def test_delete_returns_when_the_object_is_gone(served: Served) -> None:
    kubectl = served.kubectl
    for manifest in (CONFIG_MAP, POD, JOB_SET):
        await kubectl.ok("apply", "-f", "-", stdin=manifest)
    await kubectl.ok("patch", "cm", "settings", "-p", '{"metadata":{"finalizers":["example.com/wait"]}}')
    deleting = await kubectl.start("delete", "cm", "settings")
    await kubectl.ok("wait", "cm/settings", "--for=jsonpath={.metadata.deletionTimestamp}", "--timeout=60s")
    assert deleting.returncode is None
    await kubectl.ok("patch", "cm", "settings", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    async with asyncio.timeout(60):
        out, err = await deleting.communicate()
    assert (out, err) == (b'configmap "settings" deleted from default namespace\n', b"")
    assert await kubectl.ok("delete", "pod", "p") == 'pod "p" deleted from default namespace\n'
    assert await kubectl.ok("delete", "-f", "-", stdin=JOB_SET) == (
        'jobset.jobset.x-k8s.io "js" deleted from default namespace\n'
    )
    again = await kubectl("delete", "jobset", "js")
    assert again.err == 'Error from server (NotFound): jobsets.jobset.x-k8s.io "js" not found\n'


async def test_wait(served: Served) -> None:
    kubectl = served.kubectl
    await kubectl.ok("apply", "-f", "-", stdin=POD)
    waiting = await kubectl.start("wait", "pod/p", "--for=condition=Ready", "--timeout=60s")
    ready = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
    await kubectl.ok("patch", "pod", "p", "--subresource=status", "--type=merge", "-p", ready)
    async with asyncio.timeout(60):
        out, _ = await waiting.communicate()
    assert out == b"pod/p condition met\n"
    late = await kubectl("wait", "pod/p", "--for=condition=Other", "--timeout=1s")
    assert late.err == "error: timed out waiting for the condition on pods/p\n"
    await kubectl.ok("wait", "--for=delete", "pod/zz", "--timeout=2s")


async def bound(served: Served, name: str = "p") -> Object:
    """Put the pod on a node, as a scheduler does."""
    node = {"kind": "Node", "name": "n"}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": node}
    return await served.client.request_json("POST", f"/api/v1/namespaces/default/pods/{name}/binding", {}, binding)


async def test_logs(served: Served) -> None:
    kubectl, pods = served.kubectl, served.pods
    await kubectl.ok("apply", "-f", "-", stdin=POD)
    await bound(served)
    waiting = await kubectl("logs", "p")
    assert waiting.err == (
        'Error from server (BadRequest): container "main" in pod "p" is waiting to start: ContainerCreating\n'
    )
    pods.lines["p"] = {"main": [b"one\n", b"two\n"]}
    assert await kubectl.ok("logs", "p") == "one\ntwo\n"
    assert await kubectl.ok("logs", "p", "--tail=1", "--timestamps", "--previous") == "two\n"
    assert pods.asked[-1].timestamps
    assert pods.asked[-1].previous
    assert await kubectl.ok("logs", "-l", "app=demo") == "one\ntwo\n"
    wrong = await kubectl("logs", "p", "-c", "zz")
    assert "container zz is not valid for pod p" in wrong.err


async def test_logs_follow(served: Served) -> None:
    kubectl, pods = served.kubectl, served.pods
    await kubectl.ok("apply", "-f", "-", stdin=POD)
    await bound(served)
    pods.lines["p"] = {"main": [b"one\n"]}
    following = await kubectl.start("logs", "-f", "p")
    assert following.stdout is not None
    async with asyncio.timeout(60):
        assert await following.stdout.readline() == b"one\n"
        pods.lines["p"]["main"].append(b"two\n")
        pods.ended = True
        async with pods.more:
            pods.more.notify_all()
        assert await following.stdout.read() == b"two\n"
        assert await following.wait() == 0


async def test_api_resources(served: Served) -> None:
    rows = (await served.kubectl.ok("api-resources", "--no-headers")).splitlines()
    assert any(row.split() == ["jobsets", "jobset.x-k8s.io/v1alpha2", "true", "JobSet"] for row in rows)
    assert any(row.split() == ["pods", "po", "v1", "true", "Pod"] for row in rows)
    versions = (await served.kubectl.ok("api-versions")).split()
    assert {"v1", "batch/v1", "trainer.kubeflow.org/v1alpha1"} <= set(versions)


async def test_auth(served: Served) -> None:
    assert await served.kubectl.ok("auth", "can-i", "create", "jobsets") == "yes\n"
    assert "*.*" in await served.kubectl.ok("auth", "can-i", "--list")
    whoami = await served.kubectl.ok("auth", "whoami")
    assert "Username    admin" in whoami
    assert "[system:masters system:authenticated]" in whoami


async def test_fields_that_do_not_exist(served: Served) -> None:
    kubectl = served.kubectl
    await kubectl.ok("apply", "-f", "-", stdin=RUNTIME)
    wrong = TRAIN_JOB.replace("numNodes", "numNodez")
    refused = await kubectl("apply", "-f", "-", stdin=wrong)
    assert refused.err == (
        'Error from server (BadRequest): error when creating "STDIN": TrainJob in version "v1alpha1" cannot be '
        'handled as a TrainJob: strict decoding error: unknown field "spec.trainer.numNodez" '
        '(did you mean "numNodes"?)\n'
    )
    warned = await kubectl("apply", "--validate=warn", "--dry-run=server", "-f", "-", stdin=wrong)
    assert warned == (
        0,
        "trainjob.trainer.kubeflow.org/tj created (server dry run)\n",
        'Warning: unknown field "spec.trainer.numNodez" (did you mean "numNodes"?)\n',
    )
    await kubectl.ok("apply", "--validate=false", "--dry-run=server", "-f", "-", stdin=wrong)


async def test_dry_run_and_diff(served: Served) -> None:
    kubectl = served.kubectl
    made = await kubectl.ok("apply", "--dry-run=server", "-f", "-", stdin=CONFIG_MAP)
    assert made == "configmap/settings created (server dry run)\n"
    assert (await kubectl("get", "cm", "settings")).code == 1
    await kubectl.ok("apply", "-f", "-", stdin=CONFIG_MAP)
    assert (await kubectl("diff", "-f", "-", stdin=CONFIG_MAP)).code == 0
    changed = await kubectl("diff", "-f", "-", stdin=CONFIG_MAP.replace('"1"', '"2"'))
    assert changed.code == 1
    assert '+  a: "2"' in changed.out


async def test_replace(served: Served) -> None:
    kubectl = served.kubectl
    await kubectl.ok("create", "-f", "-", stdin=CONFIG_MAP)
    replaced = await kubectl.ok("replace", "-f", "-", stdin=CONFIG_MAP.replace('"1"', '"3"'))
    assert replaced == "configmap/settings replaced\n"
    assert await kubectl.ok("get", "cm", "settings", "-o", "jsonpath={.data.a}") == "3"


async def test_describe(served: Served) -> None:
    kubectl = served.kubectl
    for manifest in (POD, JOB_SET):
        await kubectl.ok("apply", "-f", "-", stdin=manifest)
    assert "Image:      python:3.11" in await kubectl.ok("describe", "pod", "p")
    assert "API Version:  jobset.x-k8s.io/v1alpha2" in await kubectl.ok("describe", "jobset", "js")


async def test_a_list_of_kinds_is_checked_by_the_client_itself(served: Served) -> None:
    """For kind List kubectl reads the old OpenAPI document, whatever its version."""
    items = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "b"}, "spec": {"ports": [{"port": 80}]}},
    ]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    assert await served.kubectl.ok("apply", "-f", "-", stdin=text) == "configmap/a created\nservice/b created\n"
    refused = await served.kubectl("apply", "-f", "-", stdin=text.replace('"ports"', '"prts"'))
    assert 'unknown field "prts" in io.k8s.api.core.v1.ServiceSpec' in refused.err
