"""One call at the top of a script: who am I, on which device, and everybody is here.

    with sidings_train.start() as world:
        model = Net().to(world.device)

The same line works under torchrun, in a pod of the Training Operator or of Kubeflow Trainer, and alone. A process alone
gets a process group too, so that FSDP and checkpoints need no second path.

NCCL's flight recorder is switched on: when a collective times out, what every rank had in flight is dumped, and
``torchfrtrace`` can tell which rank was missing. An exception is left where torchrun looks for it, so that its report
names the rank that failed first and not the ones that failed because of it.
"""

from __future__ import annotations

import datetime
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import get_error_handler

from sidings_train import idle_threads, roll_call, seat
from sidings_train.errors import LaunchError
from sidings_train.watch import Watch
from sidings_train.world import World

ARRIVAL = datetime.timedelta(minutes=10)  # pods of one job may wait for images and for each other
COLLECTIVE = datetime.timedelta(minutes=10)  # NCCL's own default; gloo's would be half an hour
PATIENCE = 60.0  # seconds at one step before a rank says who is behind

CUBLAS_WORKSPACE = ("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
"""What torch's notes on reproducibility ask for with CUDA 10.2 and later."""

_KEPT: list[object] = []
"""Groups that are over. One whose last holder lets go of it joins its threads while holding the interpreter's lock, and
a thread that is just letting a tensor go waits for that lock: a training that is complete would hang (torch 2.13)."""
_RENAMED_IN = (2, 11)  # the flight recorder's variable; from there on torch warns of the old name


@contextmanager
def start(
    *,
    arrival: datetime.timedelta = ARRIVAL,
    timeout: datetime.timedelta = COLLECTIVE,
    patience: float = PATIENCE,
    deterministic: bool = False,
) -> Iterator[World]:
    """The world of this process, until the block ends.

    ``deterministic``: on a GPU, too, a step gives the same bits each time; an operation that cannot raises.
    ``arrival``: how long to wait for all ranks to come (MissingRankError names who did not). ``timeout``: how long a
    collective may take. ``patience``: seconds at one step after which this rank says on stderr who is behind.
    """
    if deterministic:
        be_deterministic()
    place = seat.from_environment(os.environ)
    errors = get_error_handler()
    errors.initialize()
    try:
        world = _open(place, arrival, timeout, patience)
    except BaseException as error:  # of any kind, an interrupt too: torchrun's report names who failed first
        errors.record_exception(error)
        raise
    try:
        yield world
    except Exception as error:
        if world.watch and (account := world.watch.account()):
            error.add_note(f"rank {world.rank}: {account}")
        errors.record_exception(error)
        # The group is left as it is: to destroy it would wait for ranks that may never come.
        raise
    finally:
        world.end()
        if world.watch:
            world.watch.stop()
        idle_threads.wait()
    _KEPT.extend((dist.group.WORLD, world.group, *world.groups))
    dist.destroy_process_group()


def _open(place: seat.Seat, arrival: datetime.timedelta, timeout: datetime.timedelta, patience: float) -> World:
    for name, value in flight_recorder(torch.__version__).items():
        os.environ.setdefault(name, value)
    device = _device(place)
    store = roll_call.open_store(place, arrival)
    names = roll_call.wait_for_all(store, place.rank, place.size, socket.gethostname(), arrival)
    on_gpu = device.type == "cuda"
    dist.init_process_group(
        "cpu:gloo,cuda:nccl" if on_gpu else "gloo",
        store=dist.PrefixStore("group", store),
        rank=place.rank,
        world_size=place.size,
        timeout=timeout,
        device_id=device if on_gpu else None,
    )
    watch = None
    if place.size > 1:
        watch = Watch(roll_call.open_store(place, timeout), place.rank, names, patience)
        watch.start()
    return World(
        rank=place.rank,
        size=place.size,
        local_rank=place.local_rank,
        device=device,
        backend="nccl" if on_gpu else "gloo",
        timeout=timeout,
        restarts=int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0)),
        group=dist.new_group(backend="gloo", timeout=timeout) if on_gpu else dist.group.WORLD,
        watch=watch,
        on_one_node=place.local_size == place.size,
    )


def be_deterministic() -> None:
    """Before the first use of a GPU: cuBLAS reads its variable then. NCCL adds in the same order each time anyway."""
    os.environ.setdefault(*CUBLAS_WORKSPACE)
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False  # else convolutions are chosen by how fast they are today


def flight_recorder(version: str) -> dict[str, str]:
    """What torch ``version`` reads, when the first NCCL group is made, to keep and dump the last collectives."""
    major, minor = version.split(".")[:2]
    size = "TORCH_FR_BUFFER_SIZE" if (int(major), int(minor)) >= _RENAMED_IN else "TORCH_NCCL_TRACE_BUFFER_SIZE"
    return {size: "2000", "TORCH_NCCL_DUMP_ON_TIMEOUT": "1"}


def _device(place: seat.Seat) -> torch.device:
    """This process's own GPU, or the CPU where there is none."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    count = torch.cuda.device_count()
    if place.local_rank >= count:
        raise LaunchError(
            f"process {place.local_rank} of this node has no GPU: {count} visible",
            cause="more processes a node than GPUs",
            remedy=f"torchrun --nproc-per-node={count}, or resourcesPerNode with as many GPUs as processes",
        )
    device = torch.device("cuda", place.local_rank)
    torch.cuda.set_device(device)
    return device
