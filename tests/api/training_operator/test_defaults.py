from sidings.api.training_operator import defaults
from sidings.api.training_operator.framework import JAX, MPI, PYTORCH


def job(framework, **roles):
    return {"spec": {framework.replica_specs: roles}}


def pods(*containers, **fields):
    return {"template": {"spec": {"containers": list(containers)}}, **fields}


def test_the_job_itself_is_not_changed():
    original = job(PYTORCH, Worker=pods({"name": "pytorch"}))
    full = defaults.defaulted(PYTORCH, original)
    assert original == job(PYTORCH, Worker=pods({"name": "pytorch"}))
    assert full["spec"]["nprocPerNode"] == "auto"
    assert full["spec"]["runPolicy"] == {"cleanPodPolicy": "None"}


def test_a_role_has_one_pod_and_the_restart_policy_of_its_framework():
    assert defaults.defaulted(PYTORCH, job(PYTORCH, Worker=pods({"name": "pytorch"})))["spec"]["pytorchReplicaSpecs"][
        "Worker"
    ] | {"template": None} == {"replicas": 1, "restartPolicy": "OnFailure", "template": None}
    assert defaults.defaulted(JAX, job(JAX, Worker=pods({"name": "jax"})))["spec"]["jaxReplicaSpecs"]["Worker"][
        "restartPolicy"
    ] == ("Never")


def test_the_main_container_gets_the_port_that_it_does_not_expose_by_name():
    other = {"name": "other"}
    own = {"name": "pytorch", "ports": [{"name": "web", "containerPort": 80}]}
    full = defaults.defaulted(PYTORCH, job(PYTORCH, Worker=pods(other, own)))
    containers = full["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert containers == [
        other,
        {
            "name": "pytorch",
            "ports": [{"name": "web", "containerPort": 80}, {"name": "pytorchjob-port", "containerPort": 23456}],
        },
    ]


def test_a_container_of_no_name_we_know_is_taken_to_be_the_first():
    full = defaults.defaulted(JAX, job(JAX, Worker=pods({"name": "a"}, {"name": "b"})))
    first, second = full["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert first["ports"] == [{"name": "jaxjob-port", "containerPort": 6666}]
    assert "ports" not in second


def test_mpi_workers_default_to_none_and_the_clean_up_of_the_run_policy_wins():
    spec = job(MPI, Launcher=pods({"name": "mpi"}), Worker=pods({"name": "mpi"}))
    spec["spec"] |= {"cleanPodPolicy": "All", "runPolicy": {"cleanPodPolicy": "Running"}}
    full = defaults.defaulted(MPI, spec)["spec"]
    assert [full["mpiReplicaSpecs"][role]["replicas"] for role in ("Launcher", "Worker")] == [1, 0]
    assert (full["cleanPodPolicy"], full["slotsPerWorker"]) == ("Running", 1)
