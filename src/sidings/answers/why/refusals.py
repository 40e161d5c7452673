"""What an API server says when it refuses a job's pods, and the command that lets it accept them.

Messages of kubernetes v1.36: ``pkg/apis/core/validation``, ``pkg/apis/batch/validation`` and the admission plug-ins
ResourceQuota, LimitRanger, Priority and ServiceAccount.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from sidings.answers.family import Family
from sidings.answers.resubmission import Revision, templates
from sidings.answers.surroundings import Surroundings
from sidings.answers.why.remedies import resources_of
from sidings.api import quantity
from sidings.api.objects import key_of, name_of
from sidings.api.training_operator import framework

Mend = Callable[[Family, re.Match[str], Surroundings], str]


def remedy(family: Family, message: str, around: Surroundings) -> str:
    """The command for a refusal; empty where nobody but its author can mend the job."""
    for pattern, mend in _BY_MESSAGE:
        if (found := pattern.search(message)) and (command := mend(family, found, around)):
            return command
    return ""


def _service_account(family: Family, found: re.Match[str], around: Surroundings) -> str:
    return around.kubectl("create", "serviceaccount", found["name"], "-n", key_of(family.root).namespace)


def _priority_class(family: Family, found: re.Match[str], around: Surroundings) -> str:
    return around.kubectl("create", "priorityclass", found["name"], "--value=0")


def _quota(family: Family, found: re.Match[str], around: Surroundings) -> str:
    """Room for all pods of the job beside what is used."""
    asked, used, pods = _amounts(found["requested"]), _amounts(found["used"]), family.wanted_pods() or 1
    hard = {}
    for name, amount in asked.items():
        living = len(family.living_pods())
        hard[name] = quantity.add(used.get(name, "0"), "0")
        for _ in range(max(1, pods - living)):
            hard[name] = quantity.add(hard[name], amount)
    body = json.dumps({"spec": {"hard": hard}})
    namespace = key_of(family.root).namespace
    return around.kubectl("patch", "resourcequota", found["name"], "-n", namespace, "--type=merge", "-p", body)


def _amounts(text: str) -> dict[str, str]:
    """``requests.cpu=2,pods=1``."""
    pairs = (pair.split("=", 1) for pair in text.split(",") if "=" in pair)
    return {name.strip(): amount.strip() for name, amount in pairs}


def _largest(family: Family, found: re.Match[str], around: Surroundings) -> str:
    """The maximum of the LimitRange that refuses, raised to what is asked for."""
    namespace, resource = key_of(family.root).namespace, found["resource"]
    for limit_range in around.of_kind("LimitRange"):
        for index, item in enumerate(limit_range["spec"].get("limits") or ()):
            if item.get("type") == found["kind"] and (item.get("max") or {}).get(resource) == found["most"]:
                path = f"/spec/limits/{index}/max/{resource.replace('/', '~1')}"
                change = json.dumps([{"op": "replace", "path": path, "value": found["asked"]}])
                name = name_of(limit_range)
                return around.kubectl("patch", "limitrange", name, "-n", namespace, "--type=json", "-p", change)
    return ""


def _limits_as_requests(family: Family, found: re.Match[str], around: Surroundings) -> str:
    """Extended resources are not overcommitted: a request alone is refused."""
    revision = Revision(family.root)
    for template in templates(family.root):
        for index, container in enumerate(template.pods["spec"].get("containers") or ()):
            resources = resources_of(container)
            lacking = {
                name: amount
                for name, amount in (resources.get("requests") or {}).items()
                if "/" in name and name not in (resources.get("limits") or {})
            }
            if lacking:
                limits = {**(resources.get("limits") or {}), **lacking}
                revision.set((*template.path, "spec", "containers", index, "resources", "limits"), limits)
    return revision.command(around) if revision.changed else ""


def _requests_as_limits(family: Family, found: re.Match[str], around: Surroundings) -> str:
    """A request above its limit: the limit is raised."""
    revision = Revision(family.root)
    for template in templates(family.root):
        for index, container in enumerate(template.pods["spec"].get("containers") or ()):
            resources = resources_of(container)
            requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
            for name in sorted(requests.keys() & limits.keys()):
                if quantity.parse(requests[name]) > quantity.parse(limits[name]):
                    path = (*template.path, "spec", "containers", index, "resources", "limits", name)
                    revision.set(path, requests[name])
    return revision.command(around) if revision.changed else ""


def _restart_policy(family: Family, found: re.Match[str], around: Surroundings) -> str:
    """Pods of a Job are not started again for ever."""
    if framework.of_object(family.root):
        return ""
    revision = Revision(family.root)
    for template in templates(family.root):
        if template.pods["spec"].get("restartPolicy") not in ("Never", "OnFailure"):
            revision.set((*template.path, "spec", "restartPolicy"), "Never")
    return revision.command(around) if revision.changed else ""


def _completions(family: Family, found: re.Match[str], around: Surroundings) -> str:
    """An Indexed Job is told how many indexes it has: as many as pods run at once."""
    revision = Revision(family.root)
    for template in templates(family.root):
        spec = template.path[:-1]
        job = revision.at(spec)
        if job.get("completions") is None:
            revision.set((*spec, "completions"), int(job.get("parallelism", 1)))
    return revision.command(around) if revision.changed else ""


_BY_MESSAGE: tuple[tuple[re.Pattern[str], Mend], ...] = (
    (re.compile(r'serviceaccount "(?P<name>[^"]+)" not found'), _service_account),
    (re.compile(r"no PriorityClass with name (?P<name>\S+) was found"), _priority_class),
    (
        re.compile(
            r"exceeded quota: (?P<name>[^,]+), requested: (?P<requested>[^ ]+), used: (?P<used>[^ ]+), limited: \S+"
        ),
        _quota,
    ),
    (
        re.compile(
            r"maximum (?P<resource>\S+) usage per (?P<kind>\w+) is (?P<most>[^ ,]+), but (?:limit|request) is"
            r" (?P<asked>[^ ,\]]+)"
        ),
        _largest,
    ),
    (re.compile(r"Limit must be set for non overcommitable resources"), _limits_as_requests),
    (re.compile(r"must be less than or equal to \S+ limit"), _requests_as_limits),
    (re.compile(r"restartPolicy: (?:Required|Unsupported|Invalid) value"), _restart_policy),
    (re.compile(r"spec\.completions: Required value"), _completions),
)
