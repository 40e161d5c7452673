"""Patches of all generations in a runtime's template (cases M3 to M11 of Trainer 2.3, B3 of 2.0/2.1)."""

from __future__ import annotations

from typing import Any

from sidings.api.objects import Object, copy_of
from sidings.api.trainer import runtimes
from sidings.api.trainer.overrides import merged_template
from tests.trainjobs import patch, pod_patch, replicated_job, runtime, train_job, trainer_job

POD: Object = {
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}},
    "initContainers": [
        {
            "name": "ini",
            "image": "i",
            "env": [{"name": "INIT_ENV", "value": "original"}, {"name": "DATASET_PATH", "value": "runtime"}],
        }
    ],
    "nodeSelector": {"a": "1"},
    "tolerations": [{"key": "k1", "operator": "Exists"}],
    "volumes": [{"name": "v", "emptyDir": {}}, {"name": "keep", "emptyDir": {}}],
}


def merged_pod(*, job: str = "node", **spec: Any) -> Object:
    """The pod spec of replicatedJob ``job`` after the overrides in ``spec``."""
    rt = runtime(trainer_job(pod_spec=copy_of(POD)), replicated_job("side"))
    template = merged_template(train_job({}, **spec), rt)
    replicated = runtimes.named(runtimes.replicated_jobs(template), job)
    assert replicated is not None
    return runtimes.pod_spec_of(replicated)


def patched(pod_spec: Object) -> Object:
    return merged_pod(runtimePatches=[patch(pod_patch(pod_spec))])


def test_runtime_is_not_changed() -> None:
    rt = runtime(trainer_job(pod_spec=copy_of(POD)))
    before = copy_of(rt)
    merged_template(train_job({}, runtimePatches=[patch(pod_patch({"nodeSelector": {"b": "2"}}))]), rt)
    assert rt == before


def test_env_of_init_containers_merges_by_name() -> None:
    env = [{"name": "INIT_ENV", "value": "override"}, {"name": "NEW", "value": "n"}]
    pod = patched({"initContainers": [{"name": "ini", "env": env}]})
    assert pod["initContainers"][0]["env"] == [*env, {"name": "DATASET_PATH", "value": "runtime"}]
    assert pod["initContainers"][0]["image"] == "i"


def test_later_manager_wins_and_keys_are_united() -> None:
    first = patch(pod_patch({"nodeSelector": {"a": "2", "b": "1"}}))
    second = patch(pod_patch({"nodeSelector": {"b": "9", "c": "3"}}), manager="b.io/m")
    assert merged_pod(runtimePatches=[first, second])["nodeSelector"] == {"a": "2", "b": "9", "c": "3"}


def test_tolerations_are_replaced() -> None:
    assert patched({"tolerations": [{"key": "x"}]})["tolerations"] == [{"key": "x"}]


def test_two_sources_of_one_volume_both_stay() -> None:
    """No retainKeys: the Job is refused later, as recorded (``patch-volumes-mounts``)."""
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "p"}}
    assert patched({"volumes": [claim, {"name": "new", "emptyDir": {}}]})["volumes"] == [
        {"name": "v", "emptyDir": {}, "persistentVolumeClaim": {"claimName": "p"}},
        {"name": "new", "emptyDir": {}},
        {"name": "keep", "emptyDir": {}},
    ]


def test_empty_list_of_an_affinity_leaves_an_empty_object() -> None:
    pod = patched({"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}})
    assert pod["affinity"] == {**POD["affinity"], "podAntiAffinity": {}}
    assert patched({"nodeSelector": {"b": "2"}})["affinity"] == POD["affinity"]


def test_mounts_merge_by_path() -> None:
    rt = runtime(trainer_job(volumeMounts=[{"name": "v", "mountPath": "/v"}]))
    mounts = [{"name": "new", "mountPath": "/new"}, {"name": "w", "mountPath": "/v"}]
    override = patch(pod_patch({"containers": [{"name": "node", "volumeMounts": mounts}]}))
    (job,) = runtimes.replicated_jobs(merged_template(train_job({}, runtimePatches=[override]), rt))
    assert runtimes.containers_of(job)[0]["volumeMounts"] == mounts


def test_metadata_lands_on_job_set_job_and_pod() -> None:
    labels = {"labels": {"l": "1"}}
    job_patch = {
        "name": "node",
        "template": {
            "metadata": {"labels": {"job": "1"}},
            "spec": {"template": {"metadata": {"labels": {"pod": "1"}}}},
        },
    }
    rt = runtime(metadata={"labels": {"l": "0", "r": "0"}})
    template = merged_template(train_job({}, runtimePatches=[patch(job_patch, metadata=labels)]), rt)
    assert template["metadata"]["labels"] == {"l": "1", "r": "0"}
    (job,) = runtimes.replicated_jobs(template)
    assert job["template"]["metadata"]["labels"]["job"] == "1"
    assert runtimes.ancestor_of(job) == "trainer"
    assert job["template"]["spec"]["template"]["metadata"]["labels"] == {"pod": "1"}


def test_order_of_jobs_is_the_runtimes_and_unknown_ones_come_first() -> None:
    rt = runtime(replicated_job("a"), trainer_job(), replicated_job("c"))
    patches = [patch(pod_patch({"nodeSelector": {}}, job="c"), pod_patch({"nodeSelector": {"x": "y"}}, job="zz"))]
    template = merged_template(train_job({}, runtimePatches=patches), rt)
    assert [job["name"] for job in runtimes.replicated_jobs(template)] == ["zz", "a", "node", "c"]


def test_pod_template_overrides_of_2_1() -> None:
    first = {
        "targetJobs": [{"name": "node"}, {"name": "side"}],
        "metadata": {"labels": {"p": "1"}},
        "spec": {"nodeSelector": {"b": "2"}, "tolerations": [{"key": "x"}]},
    }
    second = {"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"b": "3"}}}
    overrides = {"podTemplateOverrides": [first, second]}
    assert merged_pod(**overrides)["nodeSelector"] == {"a": "1", "b": "3"}
    assert merged_pod(**overrides)["tolerations"] == [{"key": "x"}]
    assert merged_pod(job="side", **overrides)["nodeSelector"] == {"b": "2"}
    template = merged_template(train_job({}, **overrides), runtime())
    pods = runtimes.replicated_jobs(template)[-1]["template"]["spec"]["template"]
    assert pods["metadata"] == {"labels": {"p": "1"}}


def test_pod_spec_overrides_of_2_0() -> None:
    override = {"targetJobs": [{"name": "node"}], "serviceAccountName": "sa", "nodeSelector": {"b": "2"}}
    pod = merged_pod(podSpecOverrides=[override])
    assert pod["serviceAccountName"] == "sa"
    assert pod["nodeSelector"] == {"a": "1", "b": "2"}
    assert "targetJobs" not in pod


def test_labels_and_annotations_of_2_1_are_the_job_sets() -> None:
    rt = runtime(metadata={"labels": {"team": "x", "keep": "1"}})
    template = merged_template(train_job({}, labels={"team": "fraud"}, annotations={"a": "b"}), rt)
    assert template["metadata"] == {"labels": {"team": "fraud", "keep": "1"}, "annotations": {"a": "b"}}


def test_runtime_patches_win_over_old_overrides() -> None:
    old = [{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"a": "old"}}}]
    new = [patch(pod_patch({"nodeSelector": {"a": "new"}}))]
    assert merged_pod(podTemplateOverrides=old, runtimePatches=new)["nodeSelector"] == {"a": "new"}
