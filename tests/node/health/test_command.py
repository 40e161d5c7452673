from sidings.node.health import command
from tests.node.health.places import place


async def test_the_exit_code_decides_and_the_output_is_the_message() -> None:
    assert (await command.check({"command": ["true"]}, place(), 5)).well
    answer = await command.check({"command": ["sh", "-c", "echo no model; exit 3"]}, place(), 5)
    assert answer == (False, "no model\n", False)


async def test_a_command_that_takes_too_long_is_killed() -> None:
    answer = await command.check({"command": ["sleep", "60"]}, place(), 0.05)
    assert answer == (False, 'command "sleep 60" timed out', False)


async def test_a_command_that_cannot_run_at_all() -> None:
    answer = await command.check({"command": ["/no/such"]}, place(), 5)
    assert not answer.well and answer.broken
