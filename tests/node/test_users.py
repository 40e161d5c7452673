from sidings.node.users import passwd

MACHINE = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/sh\n"


def test_unknown_users_get_a_line() -> None:
    assert passwd(MACHINE, {1000650000: 0, 1000: 5}, "/root") == (
        MACHINE + "1000650000:x:1000650000:0:1000650000 user:/root:/sbin/nologin\n"
    )


def test_without_unknown_users_the_machines_file_will_do() -> None:
    assert passwd(MACHINE, {1000: 5}, "/root") == passwd(MACHINE, {}, "/root") == ""
