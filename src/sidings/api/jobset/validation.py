"""What the validating webhook of JobSet refuses at creation (pkg/webhooks/jobset_webhook.go).

All broken rules are reported, in upstream's order. Rules that upstream states without a path are :func:`_internal`:
they read ``<nil>: Internal error: ...``, as users find them quoted. Claims that exist already are looked at in the
admission plug-in; the Job templates are not validated here at all, so mistakes in them show when Jobs are created.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidings.api import domain_prefixed, fields, names, objects
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.fields import FieldError
from sidings.api.jobset import labels
from sidings.api.jobset.names import (
    claim_name,
    claim_templates,
    coordinator_endpoint,
    job_name,
    mounts,
)
from sidings.api.objects import Object

MAX_INT32 = 2**31 - 1
LONGEST_RULE_NAME = 128
MOST_RESTARTED_SINGLY = 1024
"""Replicas of a group when a rule restarts single Jobs: as many counters as the status may list."""
JOB_FAILURE_REASONS = frozenset(
    ("BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy")
)
GATED_ACTIONS = frozenset(("RestartJob", "RestartJobAndIgnoreMaxRestarts"))

_RULE_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_TOO_LONG = "must be no more than 63"
_RANDOM_SUFFIX = "abcde"


def errors(jobset: Object, gates: FeatureGates = NONE) -> list[FieldError]:
    """Every broken rule of a new JobSet that has its defaults, where ``gates`` are on."""
    replicated_jobs = jobset["spec"].get("replicatedJobs") or []
    return [
        *_gates(jobset["spec"], replicated_jobs, gates),
        *_subdomain(jobset),
        *domain_prefixed.manager_errors(jobset["spec"].get("managedBy"), "spec.managedBy"),
        *(error for index in range(len(replicated_jobs)) for error in _replicated_job(jobset, index, gates)),
        *_success_policy(jobset["spec"], replicated_jobs),
        *_failure_policy(jobset["spec"], replicated_jobs, gates),
        *_coordinator(jobset, replicated_jobs),
        *_volume_claims(jobset, replicated_jobs),
    ]


def restarts_in_place(spec: Object) -> bool:
    return (spec.get("failurePolicy") or {}).get("restartStrategy") == "InPlaceRestart"


def _internal(message: str) -> FieldError:
    return FieldError(fields.NO_PATH, "InternalError", f"Internal error: {message}")


def _gates(spec: Object, replicated_jobs: list[Object], gates: FeatureGates) -> Iterator[FieldError]:
    if restarts_in_place(spec) and Gate.IN_PLACE_RESTART not in gates:
        yield _internal("InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled")
    if replicated_jobs and replicated_jobs[0].get("dependsOn") is not None:
        yield _internal("DependsOn can't be set for the first ReplicatedJob")


def _subdomain(jobset: Object) -> Iterator[FieldError]:
    subdomain = (jobset["spec"].get("network") or {}).get("subdomain")
    if not subdomain:
        return
    path = "spec.network.subdomain"
    for message in names.dns1123_subdomain(subdomain):
        yield fields.invalid(path, subdomain, message)
    for message in names.dns1035_label(subdomain):
        too_long = f".{path} is too long, must be less than 63 characters"
        yield fields.invalid(path, subdomain, too_long if _TOO_LONG in message else message)


def _replicated_job(jobset: Object, index: int, gates: FeatureGates) -> Iterator[FieldError]:
    replicated_job = jobset["spec"]["replicatedJobs"][index]
    job_spec = replicated_job["template"]["spec"]
    path = f"spec.replicatedJobs[{index}]"
    parallelism = job_spec.get("parallelism")
    if replicated_job["replicas"] * (1 if parallelism is None else parallelism) > MAX_INT32:
        yield _internal(
            f"the product of replicas and parallelism must not exceed {MAX_INT32} "
            f"for replicatedJob '{replicated_job['name']}'"
        )
    group = replicated_job["groupName"]
    for message in names.dns1035_label(group):
        too_long = ".spec.replicatedJob[].groupName is too long, must be less than 63 characters"
        yield fields.invalid(f"{path}.groupName", group, too_long if _TOO_LONG in message else message)
    yield from _generated_names(jobset, replicated_job, f"{path}.name")
    seen = {earlier["name"] for earlier in jobset["spec"]["replicatedJobs"][: index + 1]}
    for dependency in replicated_job.get("dependsOn") or ():
        if dependency["name"] not in seen:
            yield _internal(
                f"replicatedJob: {replicated_job['name']} cannot depend on replicatedJob: {dependency['name']}"
            )
    if restarts_in_place(jobset["spec"]) and Gate.IN_PLACE_RESTART in gates:
        yield from _in_place(replicated_job, f"{path}.template.spec")


def _in_place(replicated_job: Object, path: str) -> Iterator[FieldError]:
    """The Job controller must not interfere: it would replace pods that are about to start again by themselves."""
    job_spec, name = replicated_job["template"]["spec"], replicated_job["name"]
    wanted = {"backoffLimit": (MAX_INT32, f"{MAX_INT32} (MaxInt32)"), "podReplacementPolicy": ("Failed", "Failed")}
    for field, (value, shown) in wanted.items():
        if job_spec.get(field) != value:
            message = f"replicatedJob {name}: must be set to {shown} when in-place restart is enabled"
            yield fields.invalid(f"{path}.{field}", job_spec.get(field), message)
    completions = job_spec.get("completions")
    if completions is None or completions != job_spec.get("parallelism"):
        yield fields.invalid(
            f"{path}.completions",
            completions,
            f"replicatedJob {name}: completions and parallelism must be set and equal to each other "
            "when in-place restart is enabled",
        )


def _generated_names(jobset: Object, replicated_job: Object, path: str) -> Iterator[FieldError]:
    """The longest names that the Jobs and pods of a replicated job will have must be DNS labels."""
    job = job_name(objects.name_of(jobset), replicated_job["name"], max(replicated_job["replicas"] - 1, 0))
    generated = {"job": job}
    job_spec = replicated_job["template"]["spec"]
    completions = job_spec.get("completions")
    if job_spec.get("completionMode") == "Indexed" and completions is not None:
        generated["pod"] = f"{job}-{completions - 1}-{_RANDOM_SUFFIX}"
    for what, name in generated.items():
        for message in names.dns1035_label(name):
            too_long = f"JobSet name is too long, {what} names generated for this JobSet will exceed 63 characters"
            yield fields.invalid(path, job, too_long if _TOO_LONG in message else message)


def _success_policy(spec: Object, replicated_jobs: list[Object]) -> Iterator[FieldError]:
    known = {replicated_job["name"] for replicated_job in replicated_jobs}
    for target in (spec.get("successPolicy") or {}).get("targetReplicatedJobs") or ():
        if target not in known:
            yield _internal(f"invalid replicatedJob name '{target}' does not appear in .spec.ReplicatedJobs")


def _failure_policy(spec: Object, replicated_jobs: list[Object], gates: FeatureGates) -> Iterator[FieldError]:
    rules = (spec.get("failurePolicy") or {}).get("rules") or []
    restarts_jobs = any(rule["action"] in GATED_ACTIONS for rule in rules)
    if restarts_jobs and Gate.RESTART_JOB not in gates:
        yield _internal(
            "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed "
            "when RestartJob feature gate is disabled"
        )
        return
    if restarts_jobs and any(job["replicas"] > MOST_RESTARTED_SINGLY for job in replicated_jobs):
        yield _internal(
            "JobSet cannot have a failure policy rule with RestartJob or RestartJobAndIgnoreMaxRestarts action "
            f"and a replicated job with replicas > {MOST_RESTARTED_SINGLY}"
        )
    known = {replicated_job["name"] for replicated_job in replicated_jobs}
    places: dict[str, list[int]] = {}
    for index, rule in enumerate(rules):
        places.setdefault(rule["name"], []).append(index)
        yield from _rule(rule, known)
    for name, indexes in places.items():
        if len(indexes) > 1:
            listed = " ".join(map(str, indexes))
            yield _internal(f"rule names are not unique, rules with indices [{listed}] all have the same name '{name}'")


def _rule(rule: Object, known: set[str]) -> Iterator[FieldError]:
    name = rule["name"]
    if not 1 <= len(name) <= LONGEST_RULE_NAME:
        yield _internal(
            f"invalid failure policy rule name of length {len(name)}, the rule name must be at least 1 characters "
            f"long and at most {LONGEST_RULE_NAME} characters long"
        )
    if not _RULE_NAME.fullmatch(name):
        yield _internal(
            f"invalid failure policy rule name '{name}', a failure policy rule name must start with an alphabetic "
            "character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an "
            "alphanumeric character or '_'"
        )
    for target in rule.get("targetReplicatedJobs") or ():
        if target not in known:
            yield _internal(
                f"invalid replicatedJob name '{target}' in failure policy does not appear in .spec.ReplicatedJobs"
            )
    for reason in rule.get("onJobFailureReasons") or ():
        if reason not in JOB_FAILURE_REASONS:
            yield _internal(
                f"invalid job failure reason '{reason}' in failure policy is not a recognized job failure reason"
            )


def _coordinator(jobset: Object, replicated_jobs: list[Object]) -> Iterator[FieldError]:
    coordinator = jobset["spec"].get("coordinator")
    if coordinator is None:
        return
    if problem := _coordinator_problem(coordinator, replicated_jobs):
        yield _internal(problem)
    value = coordinator_endpoint(jobset)
    if complaints := names.label_value(value):
        yield _internal(
            f'spec will lead to invalid label value "{value}" for coordinator label "{labels.COORDINATOR}" '
            f"(long JobSet / ReplicatedJob / SubDomain name?): {', '.join(complaints)}"
        )


def _coordinator_problem(coordinator: Object, replicated_jobs: list[Object]) -> str:
    name = coordinator.get("replicatedJob") or ""
    target = next((job for job in replicated_jobs if job["name"] == name), None)
    if target is None:
        return f"coordinator replicatedJob {name} does not exist"
    job_index, pod_index = int(coordinator.get("jobIndex") or 0), int(coordinator.get("podIndex") or 0)
    if not 0 <= job_index < target["replicas"]:
        return f"coordinator job index {job_index} is invalid for replicatedJob {name}"
    job_spec = target["template"]["spec"]
    if job_spec.get("completionMode") != "Indexed" or job_spec.get("completions") is None:
        return "job for coordinator pod must be indexed completion mode, and completions number must be set"
    if not 0 <= pod_index < job_spec["completions"]:
        return f"coordinator pod index {pod_index} is invalid for replicatedJob {name} job index {job_index}"
    return ""


def _volume_claims(jobset: Object, replicated_jobs: list[Object]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for policy_index, template_index, template in claim_templates(jobset):
        name = template["metadata"].get("name") or ""
        path = f"spec.volumeClaimPolicies[{policy_index}].template[{template_index}].name"
        if name in seen:
            yield fields.invalid(path, name, "names must be unique for VolumeClaimPolicies template")
        seen.add(name)
        for message in names.dns1123_subdomain(name):
            yield fields.invalid(path, name, message)
        if len(claim_name(name, objects.name_of(jobset))) > names.LABEL_LENGTH:
            yield fields.invalid(path, name, "VolumeClaimPolicies template name is too long")
        yield from _volumes(replicated_jobs, name)


def _volumes(replicated_jobs: list[Object], name: str) -> Iterator[FieldError]:
    """The claim of template ``name`` must be mounted somewhere, and no volume may have its name already."""
    for index, replicated_job in enumerate(replicated_jobs):
        pod_spec = replicated_job["template"]["spec"]["template"]["spec"]
        for volume_index, volume in enumerate(pod_spec.get("volumes") or ()):
            if volume["name"] == name:
                yield fields.invalid(
                    f"spec.replicatedJobs[{index}].template.spec.template.spec.volumes[{volume_index}].name",
                    name,
                    f"volume name conflicts with VolumeClaimPolicy template name: {name}",
                )
    if not any(mounts(replicated_job, name) for replicated_job in replicated_jobs):
        yield fields.invalid(
            "spec.replicatedJobs",
            replicated_jobs,
            f"replicatedJob containers don't have a matching volumeMount: {name} from VolumeClaimPolicies",
        )
