from sidings.node.sandbox.host import text

PATHS = {"/mnt/data": "/s/claim", "/mnt": "/s/mnt", "/tmp": "/s/tmp", "/opt/venv": "/opt/venv"}


def test_a_path_is_replaced_where_it_stands_alone() -> None:
    assert text.with_paths("ls /mnt/data/x /mnt /mnt2 a/tmp /tmp;cat </mnt/data", PATHS) == (
        "ls /s/claim/x /s/mnt /mnt2 a/tmp /s/tmp;cat </s/claim"
    )


def test_the_innermost_mount_wins_and_what_is_the_same_stays() -> None:
    assert text.with_paths("PATH=/opt/venv/bin:/mnt/data", PATHS) == "PATH=/opt/venv/bin:/s/claim"
    assert text.with_paths("/mnt", {}) == "/mnt"


def test_addresses_of_pods_and_services_lie_in_loopback() -> None:
    assert text.with_addresses("10.244.1.2 http://10.96.0.10:80/x 10.111.0.1:8080") == (
        "127.244.1.2 http://127.96.0.10:10080/x 127.111.0.1:8080"
    )


def test_other_addresses_stay() -> None:
    kept = "10.245.1.2 110.244.1.2 10.112.0.1 192.168.10.244 1.2.3"
    assert text.with_addresses(kept) == kept


def test_names_that_are_known_become_addresses() -> None:
    names = {"w-0.job": "127.244.1.2", "w-0.job.default.svc.cluster.local": "127.244.1.2"}
    asked = "--master-addr=w-0.job tcp://W-0.job.default.svc.cluster.local:29500 w-0.jobs train.py"
    assert text.with_names(asked, names) == "--master-addr=127.244.1.2 tcp://127.244.1.2:29500 w-0.jobs train.py"


def test_jobs_have_ports_of_their_own() -> None:
    """The same for all pods of a job, another for another job."""
    first, replaced = text.with_ports({"PET_MASTER_PORT": "29500", "A": "29500"}, "ns_job_0")
    second, _ = text.with_ports({"PET_MASTER_PORT": "29500"}, "ns_other_0")
    assert first["A"] == "29500" and first["PET_MASTER_PORT"] != second["PET_MASTER_PORT"]
    assert 20000 <= int(first["PET_MASTER_PORT"]) < 32000
    assert replaced == {":29500": f":{first['PET_MASTER_PORT']}"}
    assert text.with_ports({"MASTER_PORT": "any"}, "job") == ({"MASTER_PORT": "any"}, {})
