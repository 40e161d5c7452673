from sidings.host.doctor import engines
from sidings.host.doctor.finding import Verdict
from sidings.node.errors import EngineUnavailable

ABSENT = EngineUnavailable("docker is not installed", cause="there is no program docker", remedy="apt-get install it")


def test_an_engine_that_answers_is_named_with_the_command_that_uses_it() -> None:
    finding = engines.judge({"podman": "4.3.1"}, {"docker": ABSENT})
    assert finding.verdict == Verdict.OK
    assert finding.message == (
        "images can be run by podman 4.3.1 (sidings up --runtime podman); "
        "docker is not installed: there is no program docker"
    )
    assert finding.remedy == ""


def test_no_engine_is_no_problem_and_says_what_would_give_one() -> None:
    finding = engines.judge({}, {"docker": ABSENT})
    assert finding.verdict == Verdict.OK
    assert finding.message.startswith("no images are run; docker is not installed")
    assert finding.remedy == "apt-get install it"
