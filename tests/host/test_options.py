import pytest

from sidings.host.errors import OptionInvalid
from sidings.host.options import EngineOptions


def test_what_is_not_given_stays_as_it_was() -> None:
    last = EngineOptions(nodes=2, gpus_per_node=1, simulate_gpus=True, images=(("a", "/b"),))
    assert last.with_given({"nodes": None, "cpu": "8", "simulate_gpus": False}) == EngineOptions(
        nodes=2, cpu="8", gpus_per_node=1, simulate_gpus=False, images=(("a", "/b"),)
    )


def test_options_survive_their_file_and_unknown_fields_of_other_versions() -> None:
    options = EngineOptions(nodes=3, memory="64Gi", images=(("pytorch/*", "/opt/venv"),))
    assert EngineOptions.from_json({**options.to_json(), "future": 1}) == options


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"nodes": -1}, "--nodes"),
        ({"nodes": 251}, "--nodes"),
        ({"gpus_per_node": 65}, "--gpus-per-node"),
        ({"port": 65536}, "--port"),
        ({"cpu": "many"}, "--cpu"),
        ({"memory": "64GiB"}, "--memory"),
        ({"memory": "0"}, "--memory"),
        ({"feature_gates": "Unknown=true"}, "--feature-gates"),
        ({"profile": "rhoai-1.0"}, "--profile"),
    ],
)
def test_an_option_that_cannot_be_is_named(given: dict[str, object], option: str) -> None:
    with pytest.raises(OptionInvalid) as caught:
        EngineOptions().with_given(given)
    assert caught.value.what.startswith(option)
    assert caught.value.cause
