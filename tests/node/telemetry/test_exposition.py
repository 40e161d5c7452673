from sidings.node.gpus.in_memory import h200
from sidings.node.gpus.manager import Holder
from sidings.node.gpus.source import Driver, Reading
from sidings.node.telemetry import exposition
from sidings.node.telemetry.consumption import Consumption
from sidings.node.telemetry.exposition import GpuFigures, PodFigures
from sidings.node.telemetry.workload import Workload

RANK = Workload("u", "fraud", "train-node-0-0-x", "node-1", "JobSet", "train", "node", "0")
DEVICE = h200(0)


def test_a_gpu_has_the_exporters_names_and_its_workload_as_on_openshift() -> None:
    reading = Reading(DEVICE.uuid, utilization_percent=97.0, memory_used_bytes=3 * 2**20, power_watts=612.25)
    gpu = GpuFigures(DEVICE, reading, "node-1", Holder("u", "train"), RANK)
    labels = (
        f'gpu="0",UUID="{DEVICE.uuid}",pci_bus_id="00000000:01:00.0",device="nvidia0",modelName="NVIDIA H200",'
        'Hostname="node-1",DCGM_FI_DRIVER_VERSION="580.95.05",exported_namespace="fraud",'
        'exported_pod="train-node-0-0-x",exported_container="train",exported_job="train",rank="0"'
    )
    lines = exposition.text([], [gpu], Driver("580.95.05")).splitlines()
    assert "# TYPE DCGM_FI_DEV_GPU_UTIL gauge" in lines
    assert f"DCGM_FI_DEV_GPU_UTIL{{{labels}}} 97" in lines
    assert f"DCGM_FI_DEV_FB_USED{{{labels}}} 3" in lines
    assert f"DCGM_FI_DEV_POWER_USAGE{{{labels}}} 612.25" in lines
    assert not any("GPU_TEMP" in line for line in lines)


def test_an_idle_gpu_belongs_to_nobody() -> None:
    text = exposition.text([], [GpuFigures(DEVICE, Reading(DEVICE.uuid, 0.0), "node-1", xid=79)], Driver())
    assert "exported" not in text
    assert 'DCGM_FI_DRIVER_VERSION=""} 79' in text


def test_pods_have_cadvisors_names_and_only_known_figures() -> None:
    bare = Workload("v", "default", 'odd"\\name', "node-2")
    found = exposition.text(
        [PodFigures(RANK, Consumption(1.5, 2048, 10, 20)), PodFigures(bare, Consumption(cpu_seconds=0.25))],
        [],
        Driver(),
    )
    assert found.splitlines()[:4] == [
        "# HELP container_cpu_usage_seconds_total CPU time of the pod's processes.",
        "# TYPE container_cpu_usage_seconds_total counter",
        'container_cpu_usage_seconds_total{namespace="fraud",pod="train-node-0-0-x",node="node-1",'
        'exported_job="train",rank="0"} 1.5',
        'container_cpu_usage_seconds_total{namespace="default",pod="odd\\"\\\\name",node="node-2"} 0.25',
    ]
    assert found.count("container_memory_rss{") == 1
    assert exposition.text([], [], Driver()) == ""
