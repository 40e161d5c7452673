"""Rules of the ML policies that guard only a few names: MPI, XGBoost and Flux."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.golang import in_struct_order
from sidings.api.trainer import runtimes, words
from sidings.api.trainer.rules.request import Request
from sidings.api.trainer.rules.torch import reserved_env

MPI_ENV = (
    "OMPI_MCA_orte_default_hostfile",
    "OMPI_MCA_orte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots",
    "OMPI_MCA_plm_rsh_args",
)
XGBOOST_ENV = ("DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER")
FLUX_INSTALLER = "flux-installer"


def check_mpi(request: Request) -> Iterator[FieldError]:
    policy = request.policy.get("mpi")
    if policy is None:
        return
    if isinstance(request.trainer.get("numProcPerNode"), str):
        yield fields.invalid(
            "spec.trainer.numProcPerNode", request.trainer["numProcPerNode"], "must have an int value for MPI"
        )
    yield from reserved_env(request, MPI_ENV)
    nodes = request.trainer.get("numNodes")
    if nodes is None or nodes < 2 or not policy.get("runLauncherAsNode"):
        return
    existing = runtimes.replicated_jobs(request.template)
    if any(runtimes.named(existing, name) is None for name in (words.LAUNCHER, words.NODE)):
        detail = (
            "must have 1 when MPI trainingRuntime with enabled runLauncherAsNode does not have either launcher and node"
        )
        yield fields.invalid("spec.trainer.numNodes", nodes, detail)


def check_xgboost(request: Request) -> Iterator[FieldError]:
    if request.policy.get("xgboost") is None:
        return
    for index, name in enumerate(request.env_names):
        if name in XGBOOST_ENV:
            yield fields.forbidden(f"spec.trainer.env[{index}]", f"{name} is reserved for the XGBoost runtime")


def check_flux(request: Request) -> Iterator[FieldError]:
    if request.policy.get("flux") is None:
        return
    node = runtimes.named(runtimes.replicated_jobs(request.template), words.NODE)
    if node is not None and (taken := runtimes.named(runtimes.init_containers_of(node), FLUX_INSTALLER)):
        detail = f"InitContainer '{FLUX_INSTALLER}' is reserved"
        yield fields.invalid("spec.trainer.initContainers", in_struct_order(taken), detail)
