"""What makes a Job invalid (``ValidateJobSpec`` in pkg/apis/batch/validation/validation.go, Kubernetes 1.36)."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import domain_prefixed, fields, label_rules, names, objects, selector_rules, selectors
from sidings.api.fields import FieldError
from sidings.api.job import labels, policies
from sidings.api.kinds.pod_spec import validate_pod_spec
from sidings.api.objects import Object

MOST_PARALLEL_INDEXED = 100_000
MANY_INDEXES = 100_000
MOST_FAILED_OF_MANY = 10_000
NON_NEGATIVE = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_NEGATIVE = "must be greater than or equal to 0"


def errors(job: Object) -> list[FieldError]:
    """Every broken rule of a Job that has its defaults, on creation and on update."""
    return [*_generated_selector(job), *spec_errors(job["spec"]), *_pod_name(job)]


def spec_errors(spec: Object) -> list[FieldError]:
    """The broken rules of ``spec`` alone; an update reports them twice, as upstream does."""
    return [*template_errors(spec), *_selector(spec)]


def template_errors(spec: Object) -> list[FieldError]:
    """The broken rules of a ``spec`` without those of its selector, which the template of a Job does not have yet."""
    return [
        *_numbers(spec),
        *domain_prefixed.manager_errors(spec.get("managedBy"), "spec.managedBy"),
        *_completion_mode(spec),
        *policies.pod_failure_policy(spec),
        *policies.success_policy(spec),
        *policies.pod_replacement_policy(spec),
        *_template(spec["template"]),
        *_restart_policy(spec),
    ]


def _numbers(spec: Object) -> Iterator[FieldError]:
    for name in NON_NEGATIVE:
        value = spec.get(name)
        if value is not None and value < 0:
            yield fields.invalid(f"spec.{name}", value, _NEGATIVE)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield fields.required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified")


def _completion_mode(spec: Object) -> Iterator[FieldError]:
    mode = spec["completionMode"]
    if mode == "Indexed":
        yield from _indexed(spec)
    elif mode == "NonIndexed":
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield fields.invalid(f"spec.{name}", spec[name], "requires indexed completion mode")
    else:
        yield fields.not_supported("spec.completionMode", mode, ["NonIndexed", "Indexed"])


def _indexed(spec: Object) -> Iterator[FieldError]:
    completions, most_failed = spec.get("completions"), spec.get("maxFailedIndexes")
    if completions is None:
        yield fields.required("spec.completions", "when completion mode is Indexed")
    if spec["parallelism"] > MOST_PARALLEL_INDEXED:
        yield fields.invalid(
            "spec.parallelism",
            spec["parallelism"],
            f"must be less than or equal to {MOST_PARALLEL_INDEXED} when completion mode is Indexed",
        )
    if completions is not None and most_failed is not None and most_failed > completions:
        yield fields.invalid("spec.maxFailedIndexes", most_failed, "must be less than or equal to completions")
    if most_failed is not None and most_failed > MANY_INDEXES:
        yield fields.invalid("spec.maxFailedIndexes", most_failed, f"must be less than or equal to {MANY_INDEXES}")
    if spec.get("backoffLimitPerIndex") is None or completions is None or completions <= MANY_INDEXES:
        return
    when = f"when completions are above {MANY_INDEXES} and used with backoff limit per index"
    if most_failed is None:
        yield fields.required("spec.maxFailedIndexes", f"must be specified when completions is above {MANY_INDEXES}")
    for name in ("parallelism", "maxFailedIndexes"):
        if (spec.get(name) or 0) > MOST_FAILED_OF_MANY:
            detail = f"must be less than or equal to {MOST_FAILED_OF_MANY} {when}"
            yield fields.invalid(f"spec.{name}", spec[name], detail)


def _template(template: Object) -> Iterator[FieldError]:
    metadata, pod = template.get("metadata") or {}, template.get("spec") or {}
    yield from label_rules.of_labels(metadata.get("labels") or {}, "spec.template.labels")
    yield from label_rules.of_annotations(metadata.get("annotations") or {}, "spec.template.annotations")
    yield from validate_pod_spec(pod, "spec.template.spec")
    if pod.get("ephemeralContainers"):
        detail = "ephemeral containers not allowed in pod template"
        yield fields.forbidden("spec.template.spec.ephemeralContainers", detail)


def _restart_policy(spec: Object) -> Iterator[FieldError]:
    path = "spec.template.spec.restartPolicy"
    policy = (spec["template"].get("spec") or {}).get("restartPolicy")
    if policy in (None, "", "Always"):
        yield fields.required(path, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield fields.not_supported(path, policy, ["OnFailure", "Never"])
    elif spec.get("podFailurePolicy") is not None and policy != "Never":
        yield fields.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')


def _selector(spec: Object) -> Iterator[FieldError]:
    selector = spec.get("selector")
    if selector is None:
        yield fields.required("spec.selector")
        return
    template_labels = dict(sorted(objects.labels_of(spec["template"]).items()))
    if wrong := list(selector_rules.errors(selector, "spec.selector")):
        yield from wrong
    elif not selectors.matches(selector, template_labels):
        yield fields.invalid(
            "spec.template.metadata.labels", template_labels or None, "`selector` does not match template `labels`"
        )


def _generated_selector(job: Object) -> Iterator[FieldError]:
    """Without ``manualSelector`` pods carry the labels that were generated, and the selector asks for no others.

    A Job made from the manifest of another one that ran, labels and all, breaks this rule.
    """
    spec = job["spec"]
    selector = spec.get("selector")
    if spec.get("manualSelector") or selector is None:
        return
    template_labels = objects.labels_of(spec["template"])
    expected = labels.generated(job)
    for key, value in expected.items():
        path, detail = f"spec.template.metadata.labels[{key}]", f"must be '{value}'"
        if key not in template_labels:
            yield fields.required(path, detail)
        elif template_labels[key] != value:
            yield fields.invalid(path, template_labels, detail)
    if not list(selector_rules.errors(selector, "spec.selector")) and not selectors.matches(selector, expected):
        yield fields.invalid("spec.selector", selector, "`selector` not auto-generated")


def _pod_name(job: Object) -> Iterator[FieldError]:
    """The host name of the last pod of an Indexed Job must be a DNS label."""
    completions = job["spec"].get("completions")
    if job["spec"]["completionMode"] != "Indexed" or not completions or completions < 0:
        return
    name = f"{objects.name_of(job)}-{completions - 1}"
    if names.dns1123_label(name):
        detail = f"will not able to create pod with invalid DNS label: {name}"
        yield fields.invalid("metadata.name", objects.name_of(job), detail)
