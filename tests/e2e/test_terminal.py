"""What a user sees and does at the terminal while jobs run: follow, detach, read logs, complete names."""

import os
import re
import signal

import pytest

from tests.e2e.machine import UNTIL_TOLD, Machine, job_set, tell, wait_for

pytestmark = pytest.mark.e2e


def test_ctrl_c_detaches_and_the_job_goes_on(machine: Machine) -> None:
    machine.ok("up")
    following = machine.start("run", "-f", "-", stdin=job_set("long", "sleep 600"))
    wait_for(lambda: " Running " in machine.ok("get"))
    following.send_signal(signal.SIGINT)
    _, err = following.communicate(timeout=120)
    assert following.returncode == 130
    assert 'detached; JobSet "long" goes on' in err
    assert "sidings suspend long" in err
    assert " Running " in machine.ok("get")


def test_following_outlives_the_engine(machine: Machine) -> None:
    machine.ok("up")
    following = machine.start("run", "-f", "-", stdin=job_set("survivor", f"{UNTIL_TOLD}; echo survived"))
    wait_for(lambda: " Running " in machine.ok("get"))
    os.kill(machine.engine_pid(), signal.SIGKILL)
    machine.ok("up")
    [found] = machine.objects("pods")
    tell(machine, found["metadata"]["name"])
    out, err = following.communicate(timeout=120)
    assert (following.returncode, out) == (0, "survived\n"), err
    assert "connection lost" in err


def test_logs_of_all_ranks_or_one(machine: Machine) -> None:
    machine.ok("up", "--nodes", "2")
    script = "echo one $JOB_COMPLETION_INDEX; sleep 2; echo two $JOB_COMPLETION_INDEX"
    machine.ok("run", "--detach", "-f", "-", stdin=job_set("ranks", script, pods=2))
    followed = machine.ok("logs", "-f", "ranks").splitlines()
    assert sorted(followed) == [
        "main-0-0 | one 0",
        "main-0-0 | two 0",
        "main-0-1 | one 1",
        "main-0-1 | two 1",
    ]
    assert machine.ok("logs", "ranks").splitlines() == sorted(followed)
    assert machine.ok("logs", "ranks", "--rank", "1") == "one 1\ntwo 1\n"
    assert machine.ok("logs", "jobset/ranks", "--rank", "0", "--tail", "1") == "two 0\n"
    nobody = machine.sidings("logs", "ranks", "--rank", "7")
    assert (nobody.returncode, "RANK_NOT_FOUND" in nobody.stderr) == (3, True)


def test_a_script_runs_where_it_was_started(machine: Machine) -> None:
    (machine.folder / "hello.py").write_text(
        "import os, sys; print(os.getcwd(), sys.argv[1:], os.environ['WORLD_SIZE'])\n"
    )
    machine.ok("up", "--nodes", "2")
    done = machine.sidings("run", "--nodes", "2", "hello.py", "--epochs", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{machine.folder} ['--epochs', '3'] 2\n"
    assert re.search(r'TrainJob "hello-\w{5}" Succeeded', done.stderr)


def test_in_the_foreground_ctrl_c_stops_the_engine_with_its_pods(machine: Machine) -> None:
    engine = machine.start("up", "--foreground")
    wait_for(lambda: machine.sidings("status").returncode == 0)
    machine.ok("run", "--detach", "-f", "-", stdin=job_set("long", "sleep 600"))
    wait_for(lambda: " Running " in machine.ok("get"))
    engine.send_signal(signal.SIGINT)
    out, err = engine.communicate(timeout=120)
    assert (engine.returncode, out) == (0, f"export KUBECONFIG={machine.home}/kubeconfig\n")
    assert "the engine has stopped" in err
    assert machine.leftovers() == []


def test_no_nodes_is_an_api_without_pods(machine: Machine) -> None:
    machine.ok("up", "--nodes", "0")
    assert machine.objects("nodes") == []
    machine.ok("run", "--detach", "-f", "-", stdin=job_set("waits", "true"))
    wait_for(lambda: len(machine.objects("pods")) == 1)
    assert re.search(r"JobSet +waits +Queued", machine.ok("get"))


def test_answers_for_programs_and_names_for_shells(machine: Machine) -> None:
    machine.ok("up")
    machine.ok("run", "-f", "-", stdin=job_set("done", "true"))
    assert machine.ok("get", "-o", "name") == "jobset.jobset.x-k8s.io/done\n"
    assert '"state": "Succeeded"' in machine.ok("get", "done", "-o", "json")
    assert "state: Succeeded" in machine.ok("get", "pods", "done", "-o", "yaml")
    assert "done" in machine.ok("completion", "candidates", "--", "logs").splitlines()
    assert '"Succeeded": 1' in machine.ok("status", "-o", "json")
    assert machine.ok("get", "--kubeconfig", str(machine.home / "kubeconfig"), "-o", "name").endswith("/done\n")


def test_a_home_of_another_user_is_refused(machine: Machine) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    machine.home.mkdir()
    os.chown(machine.home, 1, -1)
    refused = machine.sidings("up")
    assert (refused.returncode, "error[STORE_FOREIGN_OWNER]" in refused.stderr) == (1, True)
    os.chown(machine.home, 0, -1)
