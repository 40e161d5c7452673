"""A TrainJob against its runtime: rows 5 to 29 of Trainer 2.3's validating webhook, and those of 2.0/2.1.

Texts are from the recorded webhook where it was recorded (``validator.trainjob.trainer.kubeflow.org``).
"""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.trainer.rules import Request, against_runtime
from tests.trainjobs import initializer_job, patch, pod_patch, replicated_job, runtime, train_job, trainer_job

REF = '{"name":"rt","apiGroup":"trainer.kubeflow.org","kind":"TrainingRuntime"}'
TORCH: Object = {"torch": {}}
ACTIVE = {
    "status": {"replicatedJobsStatus": [{"name": "side", "active": 1}, {"name": "idle"}, {"name": "node", "active": 2}]}
}


def errors(job: Object, rt: Object, old: Object | None = None, job_set: Object | None = None) -> list[str]:
    return [str(error) for error in against_runtime(Request(job, old, rt, job_set))]


# --- initializers


@pytest.mark.parametrize(("field", "config"), [("dataset", "datasetConfig"), ("model", "modelConfig")])
def test_initializer_needs_job_container_and_mount(field: str, config: str) -> None:
    job = train_job({}, initializer={field: {}})
    name = f"{field}-initializer"

    def refused(*jobs: Object) -> list[str]:
        return errors(job, runtime(*jobs, trainer_job()))

    assert refused() == [
        f"spec.runtimeRef: Invalid value: {REF}: must have {name} job when trainJob is configured with input {config}"
    ]
    assert refused(initializer_job(name, container="x")) == [
        f"spec.runtimeRef: Invalid value: {REF}: must have container with name - {name} in the {name} job"
    ]
    assert refused(initializer_job(name, volumeMounts=[])) == [
        f"spec.runtimeRef: Invalid value: {REF}: must have volumeMount with name - initializer in container {name} of "
        f"the {name} job"
    ]
    assert refused(initializer_job(name)) == []


# --- runtimePatches


@pytest.mark.parametrize("manager", ["kueue.k8s.io/manager", "a.io/m/n"])
def test_managers_that_are_paths_pass(manager: str) -> None:
    assert errors(train_job({}, runtimePatches=[patch(manager=manager)]), runtime()) == []


@pytest.mark.parametrize("manager", ["bad", "kueue.k8s.io/", "/x"])
def test_other_managers_are_refused(manager: str) -> None:
    assert errors(train_job({}, runtimePatches=[patch(manager=manager)]), runtime()) == [
        f'spec.runtimePatches.manager: Invalid value: "{manager}": must be a domain-prefixed path (such as '
        '"acme.io/foo")'
    ]


def test_domain_of_a_manager_is_judged_by_itself() -> None:
    (error,) = errors(train_job({}, runtimePatches=[patch(manager="A.io/m")]), runtime())
    assert error.startswith('spec.runtimePatches.manager: Invalid value: "A.io": a lowercase RFC 1123 subdomain')


def test_env_of_the_trainers_container_cannot_be_patched() -> None:
    containers = [{"name": "node", "env": [{"name": "E", "value": "1"}]}]
    job = train_job({}, runtimePatches=[patch(pod_patch({"containers": containers})) | {"time": "t"}])
    assert errors(job, runtime(policy=TORCH)) == [
        'spec.runtimePatches: Invalid value: [{"manager":"a.io/m","time":"t","trainingRuntimeSpec":{"template":{"spec":'
        '{"replicatedJobs":[{"name":"node","template":{"spec":{"template":{"spec":{"containers":[{"name":"node","env":'
        '[{"name":"E","value":"1"}]}]}}}}}]}}}}]: must not have envs for the dataset-initializer, model-initializer, '
        "node containers"
    ]


@pytest.mark.parametrize(
    "pod_spec",
    [
        {"containers": [{"name": "node", "securityContext": {}, "volumeMounts": []}]},
        {"containers": [{"name": "side", "env": [{"name": "E"}]}]},
        {"initContainers": [{"name": "node", "env": [{"name": "E"}]}]},
    ],
)
def test_other_patches_of_containers_pass(pod_spec: Object) -> None:
    assert errors(train_job({}, runtimePatches=[patch(pod_patch(pod_spec))]), runtime()) == []


def test_patch_of_what_the_runtime_does_not_have_passes() -> None:
    patches = [patch(pod_patch({"nodeSelector": {"a": "b"}}, job="zz"), pod_patch({"containers": [{"name": "zz"}]}))]
    assert errors(train_job({}, runtimePatches=patches), runtime()) == []


def changed_patches(*, before: bool, after: bool, job_set: Object | None = None) -> list[str]:
    old = train_job({}, suspend=before, runtimePatches=[patch(pod_patch({"nodeSelector": {"b": "2"}}))])
    new = train_job({}, suspend=after, runtimePatches=[patch(pod_patch({"nodeSelector": {"b": "3"}}))])
    return errors(new, runtime(), old, job_set)


def test_patches_change_only_while_suspended() -> None:
    assert changed_patches(before=False, after=False, job_set=ACTIVE) == [
        "spec.runtimePatches: Forbidden: RuntimePatches can only be modified when the TrainJob is suspended before or "
        "after the update"
    ]
    assert changed_patches(before=True, after=True) == []
    assert changed_patches(before=True, after=False) == []
    assert changed_patches(before=False, after=True) == []


def test_patches_do_not_change_under_running_pods() -> None:
    assert changed_patches(before=False, after=True, job_set=ACTIVE) == [
        f"spec.runtimePatches: Forbidden: RuntimePatches cannot be modified when the JobSet's ReplicatedJob {name} is "
        "still active"
        for name in ("side", "node")
    ]


def test_unchanged_patches_are_not_judged() -> None:
    job = train_job({}, runtimePatches=[patch(pod_patch({"nodeSelector": {"b": "2"}}))])
    assert errors(job, runtime(), job, ACTIVE) == []


# --- podTemplateOverrides and podSpecOverrides


def override(*targets: str, **pod_spec: Any) -> Object:
    return {"targetJobs": [{"name": target} for target in targets], "spec": pod_spec}


def test_overrides_name_what_the_runtime_has() -> None:
    def details(item: Object) -> list[str]:
        return [text.rpartition(": ")[2] for text in errors(train_job({}, podTemplateOverrides=[item]), runtime())]

    assert details(override("node", containers=[{"name": "node"}])) == []
    assert details(override("zz")) == ["must not have targetJob that doesn't exist in the runtime job template"]
    assert details(override("node", containers=[{"name": "zz"}])) == [
        "must not have container that doesn't exist in the runtime job node"
    ]
    assert details(override("node", initContainers=[{"name": "zz"}])) == [
        "must not have initContainer that doesn't exist in the runtime job node"
    ]
    assert details(override("node", containers=[{"name": "node", "env": [{"name": "E"}]}])) == [
        "must not have envs for the dataset-initializer, model-initializer, node containers"
    ]


def test_overrides_change_only_for_a_suspended_job() -> None:
    old = train_job({}, suspend=True, podTemplateOverrides=[override("node", nodeSelector={"a": "1"})])
    running = train_job({}, podTemplateOverrides=[override("node", nodeSelector={"a": "2"})])
    suspended = train_job({}, suspend=True, podTemplateOverrides=[override("node", nodeSelector={"a": "2"})])
    assert errors(running, runtime(), old) == [
        "spec.podTemplateOverrides: Forbidden: PodTemplateOverrides can only be modified when the TrainJob is suspended"
    ]
    assert errors(suspended, runtime(), old) == []
    assert errors(suspended, runtime(), old, ACTIVE)[1] == (
        "spec.podTemplateOverrides: Forbidden: PodTemplateOverrides cannot be modified when the JobSet's ReplicatedJob "
        "node is still active"
    )


def test_flat_overrides_of_2_0() -> None:
    item = {"targetJobs": [{"name": "node"}], "containers": [{"name": "zz"}]}
    assert [text.rpartition(": ")[2] for text in errors(train_job({}, podSpecOverrides=[item]), runtime())] == [
        "must not have container that doesn't exist in the runtime job node"
    ]
    twice = [{"targetJobs": [{"name": "node"}]}, {"targetJobs": [{"name": "node"}]}]
    assert errors(train_job({}, podSpecOverrides=twice), runtime()) == [
        'spec.podSpecOverrides: Duplicate value: "node"'
    ]


# --- ML policies


def test_torch_env_is_reserved() -> None:
    env = [{"name": "PET_NODE_RANK", "value": "0"}, {"name": "A"}, {"name": "PET_MASTER_ADDR", "value": "x"}]
    assert errors(train_job({"env": env}), runtime(policy=TORCH)) == [
        'spec.trainer.env: Invalid value: [{"name":"PET_NODE_RANK","value":"0"},{"name":"A"},{"name":"PET_MASTER_ADDR",'
        '"value":"x"}]: must not have reserved envs, invalid envs configured: [PET_MASTER_ADDR PET_NODE_RANK]'
    ]
    assert errors(train_job({"env": env}), runtime()) == []


def test_old_form_reserves_env_only_beside_a_process_count() -> None:
    env = [{"name": "PET_NNODES", "value": "1"}]
    assert errors(train_job({"env": env}, labels={"a": "b"}), runtime(policy=TORCH)) == []
    (error,) = errors(train_job({"env": env, "numProcPerNode": "auto"}), runtime(policy=TORCH))
    assert error.endswith("invalid envs configured: [PET_NNODES]")


def test_process_count_is_a_number_or_a_known_word() -> None:
    assert errors(train_job({"numProcPerNode": "2"}), runtime(policy=TORCH)) == []
    assert errors(train_job({"numProcPerNode": "all"}), runtime(policy=TORCH)) == [
        'spec.trainer.numProcPerNode: Invalid value: "all": must have an int value or [auto cpu gpu]'
    ]


def test_injection_target_must_exist() -> None:
    targets = [{"jobName": "zz", "containerNames": ["c"]}, {"jobName": "node", "containerNames": ["helper", "ini"]}]
    node = trainer_job(pod_spec={"initContainers": [{"name": "ini"}]})
    policy = {"torch": {"envInjection": {"targets": targets}}}
    assert errors(train_job({}), runtime(node, policy=policy)) == [
        'spec.runtimeRef: Invalid value: {"jobName":"zz","containerNames":["c"]}: envInjection target podSet "zz" '
        'container "c" not found in runtime template',
        'spec.runtimeRef: Invalid value: {"jobName":"node","containerNames":["helper","ini"]}: envInjection target '
        'podSet "node" container "helper" not found in runtime template',
    ]


def test_mpi_reserves_env_and_needs_launcher_and_node() -> None:
    policy = {"mpi": {"runLauncherAsNode": True}}
    env = [{"name": "OMPI_MCA_plm_rsh_args", "value": "y"}]
    (error,) = errors(train_job({"env": env}), runtime(policy=policy))
    assert error.endswith("invalid envs configured: [OMPI_MCA_plm_rsh_args]")
    assert errors(train_job({"numNodes": 2}), runtime(policy=policy)) == [
        "spec.trainer.numNodes: Invalid value: 2: must have 1 when MPI trainingRuntime with enabled runLauncherAsNode "
        "does not have either launcher and node"
    ]
    assert errors(train_job({"numNodes": 1}), runtime(policy=policy)) == []
    both = runtime(replicated_job("node"), trainer_job("launcher"), policy=policy)
    assert errors(train_job({"numNodes": 2}), both) == []
    (error,) = errors(train_job({"numProcPerNode": "auto"}), both)
    assert error == 'spec.trainer.numProcPerNode: Invalid value: "auto": must have an int value for MPI'


def test_xgboost_env_is_reserved() -> None:
    env = [{"name": "A"}, {"name": "DMLC_NUM_WORKER"}, {"name": "DMLC_TASK_ID"}]
    assert errors(train_job({"env": env}), runtime(policy={"xgboost": {}})) == [
        "spec.trainer.env[1]: Forbidden: DMLC_NUM_WORKER is reserved for the XGBoost runtime",
        "spec.trainer.env[2]: Forbidden: DMLC_TASK_ID is reserved for the XGBoost runtime",
    ]


def test_flux_brings_its_own_init_container() -> None:
    node = trainer_job(pod_spec={"initContainers": [{"name": "flux-installer"}]})
    (error,) = errors(train_job({}), runtime(node, policy={"flux": {}}))
    assert error.startswith("spec.trainer.initContainers: Invalid value: ")
    assert error.endswith("InitContainer 'flux-installer' is reserved")


# --- TorchTune

LORA = "model.lora_attn_modules=[q_proj]"
QLORA = "model.quantize_base=True"


def tune(runtime_name: str, *args: str, **trainer: Any) -> list[str]:
    job = train_job({"command": ["tune", "run"], "args": list(args), **trainer}, runtime_name=runtime_name)
    return errors(job, runtime(policy=TORCH, name=runtime_name))


@pytest.mark.parametrize(("name", "model"), [("torchtune-foo-9b", "foo/9B"), ("torchtune", "")])
def test_unsupported_model(name: str, model: str) -> None:
    assert tune(name) == [
        f'spec.runtimeRef.name: Invalid value: "{name}": must have a supported pretrained model, invalid model '
        f"configured: {model}"
    ]


def test_only_the_large_model_spans_nodes() -> None:
    assert tune("torchtune-llama3.2-1b", numNodes=2) == [
        "spec.trainer.numNodes: Invalid value: 2: must be 1 for llama3_2/1B model"
    ]
    assert tune("torchtune-llama3.3-70b", numNodes=2) == []
    assert tune("torchtune-llama3.3-70b", LORA, numNodes=2) == [
        "spec.trainer.numNodes: Invalid value: 2: LoRA fine-tuning is not supported for multi-node training in "
        "TorchTune"
    ]


def test_qlora_limits() -> None:
    assert tune("torchtune-qwen2.5-1.5b", QLORA, numProcPerNode=1) == [
        'spec.runtimeRef.name: Invalid value: "torchtune-qwen2.5-1.5b": QLoRA is not supported for qwen2_5/1.5B model'
    ]
    assert tune("torchtune-llama3.2-1b", QLORA, numProcPerNode=1) == []
    assert tune("torchtune-llama3.2-1b", QLORA, "model.use_dora=True", numProcPerNode=2) == []
    assert [text.rpartition(": ")[2] for text in tune("torchtune-llama3.2-1b", QLORA, numProcPerNode=2)] == [
        "must be auto or 1 for llama3_2/1B model when using QLoRA",
        "must have gpu resource with value 1 for llama3_2/1B model when using QLoRA",
    ]


def test_managed_paths_are_the_runtimes() -> None:
    assert tune("torchtune-llama3.2-1b", "a=1", "output_dir=/x") == [
        'spec.trainer.args[1]: Invalid value: "output_dir=/x": must not set immutable config "output_dir" in trainer '
        "args; it is managed by the runtime"
    ]


def test_other_commands_are_no_torchtune() -> None:
    job = train_job({"command": ["tune", "run", "x"], "args": ["output_dir=/x"]})
    assert errors(job, runtime(policy=TORCH)) == []
