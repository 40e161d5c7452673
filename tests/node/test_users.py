from sidings.node.users import passwd, passwd_for_logins

MACHINE = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/sh\n"


def test_unknown_users_get_a_line() -> None:
    assert passwd(MACHINE, {1000650000: 0, 1000: 5}, "/root") == (
        MACHINE + "1000650000:x:1000650000:0:1000650000 user:/root:/sbin/nologin\n"
    )


def test_without_unknown_users_the_machines_file_will_do() -> None:
    assert passwd(MACHINE, {1000: 5}, "/root") == passwd(MACHINE, {}, "/root") == ""


def test_who_logs_in_has_a_shell_and_the_home_of_the_keys() -> None:
    assert passwd_for_logins(MACHINE, {1000: 5, 2000: 0}, "/home/mpiuser") == (
        "root:x:0:0:root:/root:/bin/bash\n"
        "mpiuser:x:1000:5:1000 user:/home/mpiuser:/bin/sh\n"
        "2000:x:2000:0:2000 user:/home/mpiuser:/bin/sh\n"
    )


def test_root_logs_in_as_the_machine_has_it() -> None:
    assert passwd_for_logins(MACHINE, {}, "/root") == MACHINE
