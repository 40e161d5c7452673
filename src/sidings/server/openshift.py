"""What ``oc`` asks for that is no stored object: who am I, make me a project, which version is this.

``oc whoami`` and ``oc login`` GET the user ``~``; ``oc new-project`` first GETs ``projectrequests`` to learn whether it
may ask, then POSTs one and gets a Project; ``oc get clusterversion`` and ``oc get csv`` list. Forms are those of
OpenShift 4 (``openshift/api`` user, project, config and operators groups). The project itself is the namespace of its
name (``api/kinds/project``).
"""

from __future__ import annotations

from datetime import datetime

import sidings
from sidings.api import timestamps
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns, project
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.api.resources import PROJECTS, Resource
from sidings.api.status import MethodNotAllowed, NotFound
from sidings.registry.listing import Item, Page
from sidings.registry.registry import Registry
from sidings.server.auth import User
from sidings.server.responses import encode

USERS = Resource("user.openshift.io", "v1", "users", "User", False)
PROJECT_REQUESTS = Resource("project.openshift.io", "v1", "projectrequests", "ProjectRequest", False)
CLUSTER_VERSIONS = Resource("config.openshift.io", "v1", "clusterversions", "ClusterVersion", False)
OPERATORS = Resource("operators.coreos.com", "v1alpha1", "clusterserviceversions", "ClusterServiceVersion")
VERBS = {
    USERS: ("get", "list"),
    PROJECT_REQUESTS: ("create", "list"),
    CLUSTER_VERSIONS: ("get", "list"),
    OPERATORS: ("get", "list"),
}
RESOURCES = tuple(VERBS)
ME = "~"
VERSION = "version"
"""The name of the one ClusterVersion."""
SHORT_NAMES = {OPERATORS: ("csv", "csvs")}

_COLUMNS = {
    USERS: (columns.NAME, Column("Full Name", cell=columns.field("fullName"), description="What people call them.")),
    CLUSTER_VERSIONS: (
        columns.NAME,
        Column("Version", cell=lambda obj, now: obj["status"]["desired"]["version"], description="Of this engine."),
        Column("Available", cell=lambda obj, now: "True", description="Whether it answers."),
        Column("Progressing", cell=lambda obj, now: "False", description="Whether it is being updated."),
    ),
}


def kind_of(resource: Resource) -> Kind:
    """How objects of ``resource`` are shown; ``oc new-project`` gets a Project."""
    if resource == PROJECT_REQUESTS:
        return project.KIND
    return Kind(resource, resource.kind.lower(), {}, builtin=True, columns=_COLUMNS.get(resource, ()))


def must_serve(resource: Resource, verb: str) -> None:
    """Raises ``MethodNotAllowed``."""
    if verb not in VERBS[resource]:
        raise MethodNotAllowed("the server does not allow this method on the requested resource")


def found(resource: Resource, name: str, user: User, started: datetime) -> Item:
    """The object called ``name``. Raises ``NotFound``."""
    wanted = user.name if resource == USERS and name == ME else name
    for item in listed(resource, user, started).items:
        if item.object["metadata"]["name"] == wanted:
            return item
    raise NotFound(
        f'{resource.group_resource} "{name}" not found', name=name, group=resource.group, kind=resource.plural
    )


def listed(resource: Resource, user: User, started: datetime) -> Page:
    """All objects of ``resource`` that there are for ``user``; of users only they themselves are known."""
    objects: list[Object] = []
    if resource == USERS:
        objects = [_typed(USERS, {"metadata": _metadata(user.name, user.uid), "groups": list(user.groups)})]
    elif resource == CLUSTER_VERSIONS:
        objects = [_cluster_version(timestamps.to_text(started))]
    return Page([Item(obj, encode(obj)) for obj in objects], "")


def may_request() -> Object:
    """The answer to a list of ``projectrequests``: yes, you may ask for one."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}


async def new_project(registry: Registry, request: Object, user: User, options: WriteOptions) -> Object:
    """The Project that ``request``, a ProjectRequest, asks for. Raises as the creation of a namespace does."""
    metadata = request.get("metadata") or {}
    annotations = {
        **(metadata.get("annotations") or {}),
        project.DESCRIPTION: request.get("description") or "",
        project.DISPLAY_NAME: request.get("displayName") or "",
        project.REQUESTER: user.name,
    }
    wanted = {"metadata": {**metadata, "annotations": annotations}}
    kind = registry.catalog.by_plural(*PROJECTS[:3])
    assert kind is not None
    return await registry.create(kind, wanted, "", options)


def _cluster_version(moment: str) -> Object:
    version = {"version": sidings.__version__, "image": ""}
    conditions = [
        {"type": type_, "status": status, "reason": "AsExpected", "message": "", "lastTransitionTime": moment}
        for type_, status in (("Available", "True"), ("Progressing", "False"), ("Failing", "False"))
    ]
    update = {**version, "state": "Completed", "startedTime": moment, "completionTime": moment, "verified": False}
    return _typed(
        CLUSTER_VERSIONS,
        {
            "metadata": _metadata(VERSION, ""),
            "spec": {"clusterID": ""},
            "status": {
                "availableUpdates": None,
                "conditions": conditions,
                "desired": version,
                "history": [update],
                "observedGeneration": 1,
            },
        },
    )


def _metadata(name: str, uid: str) -> Object:
    return {"name": name, "uid": uid, "creationTimestamp": None}


def _typed(resource: Resource, obj: Object) -> Object:
    return {"kind": resource.kind, "apiVersion": resource.api_version, **obj}
