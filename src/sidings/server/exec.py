"""``pods/exec`` and ``pods/attach``: which container, which streams, and how it ended.

Checks and texts are those of kube-apiserver and kubelet v1.36 (``ExecLocation`` in
``pkg/registry/core/pod/strategy.go``, ``NewOptions`` in ``k8s.io/kubelet/pkg/cri/streaming/remotecommand``).
"""

from __future__ import annotations

from sidings.api.objects import Object, name_of
from sidings.api.pods import PodSessions, Session, StreamOptions
from sidings.api.status import BadRequest
from sidings.server.logs import container_of
from sidings.server.queries import Query

SUCCESS: Object = {"metadata": {}, "status": "Success"}


def options(query: Query, pod: Object) -> StreamOptions:
    """The streams asked for, with the container resolved. Raises BadRequest."""
    if not pod["spec"].get("nodeName"):
        raise BadRequest(f"pod {name_of(pod)} does not have a host assigned")
    wanted = StreamOptions(
        container=container_of(pod, query.text("container")),
        stdin=query.flag("stdin"),
        stdout=query.flag("stdout"),
        stderr=query.flag("stderr"),
        tty=query.flag("tty"),
    )
    if not (wanted.stdin or wanted.stdout or wanted.stderr):
        raise BadRequest("you must specify at least 1 of stdin, stdout, stderr")
    if wanted.tty and wanted.stderr:
        raise BadRequest("tty and stderr cannot both be true")
    return wanted


def command(query: Query) -> tuple[str, ...]:
    """What to run. Raises BadRequest where nothing is."""
    words = query.texts("command")
    if not words:
        raise BadRequest("you must specify a command")
    return words


async def execute(
    pods: PodSessions, pod: Object, argv: tuple[str, ...], wanted: StreamOptions, client: Session
) -> Object:
    """The Status that ends the session; kubectl exits with the code in its cause."""
    code = await pods.execute(pod, argv, wanted, client)
    if code == 0:
        return SUCCESS
    return {
        "metadata": {},
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "message": f"command terminated with non-zero exit code: exit status {code}",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }


async def attach(pods: PodSessions, pod: Object, wanted: StreamOptions, client: Session) -> Object:
    """The Status that ends the session; how the container ended is in the pod's own status."""
    await pods.attach(pod, wanted, client)
    return SUCCESS
