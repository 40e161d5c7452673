import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, Resource
from sidings.registry.listing import Item, Page
from sidings.server.negotiation import Answer, Form
from sidings.server.rendering import Rendering
from sidings.server.responses import encode

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def rendering(resource: Resource, form: Form = Form.OBJECT, media_type: str = "application/json") -> Rendering:
    kind = catalog.builtin().by_plural(*resource[:3])
    assert kind is not None
    return Rendering(kind, Answer(form, media_type), "", NOW)


def item(obj: Object) -> Item:
    return Item(obj, encode(obj))


def listed(resource: Resource, *objects: Object, form: Form = Form.OBJECT, **page: Any) -> Any:
    found = rendering(resource, form).page(Page([item(obj) for obj in objects], "7", **page))
    assert found.status == 200
    return json.loads(found.body)


METADATA = {"name": "a", "creationTimestamp": "2026-11-30T11:55:00Z"}


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": METADATA},
        {"kind": "ConfigMap", "apiVersion": "v1", "metadata": METADATA},
    ],
)
def test_items_of_built_in_lists_leave_out_their_type(obj: Object) -> None:
    assert listed(CONFIG_MAPS, obj, obj) == {
        "kind": "ConfigMapList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "7"},
        "items": [{"metadata": METADATA}, {"metadata": METADATA}],
    }


def test_an_object_whose_type_comes_last_keeps_it() -> None:
    obj = {"metadata": METADATA, "kind": "ConfigMap", "apiVersion": "v1"}
    assert listed(CONFIG_MAPS, obj)["items"] == [obj]


def test_custom_lists_keep_types_and_say_continue() -> None:
    obj = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": METADATA}
    found = listed(JOB_SETS, obj)
    assert found["items"] == [obj]
    assert found["metadata"] == {"resourceVersion": "7", "continue": ""}


@pytest.mark.parametrize("form", [Form.OBJECT, Form.TABLE, Form.PARTIAL_LIST])
def test_every_form_of_a_page_says_how_to_go_on(form: Form) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": METADATA}
    found = listed(CONFIG_MAPS, obj, form=form, continue_="next", remaining=3)
    assert found["metadata"] == {"resourceVersion": "7", "continue": "next", "remainingItemCount": 3}


def test_a_stored_object_is_its_bytes() -> None:
    assert rendering(CONFIG_MAPS).item(Item({}, b"stored")).body == b"stored"


def test_yaml() -> None:
    answer = rendering(CONFIG_MAPS, media_type="application/yaml").item(item({"b": "1", "a": 2}))
    assert (answer.content_type, answer.body) == (b"application/yaml", b'a: 2\nb: "1"\n')


def test_what_a_write_answers() -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**METADATA, "resourceVersion": "7"}}
    answer = rendering(CONFIG_MAPS).written(obj, 201, [(b"warning", b"w")])
    assert (answer.status, json.loads(answer.body), answer.headers) == (201, obj, [(b"warning", b"w")])
    table = json.loads(rendering(CONFIG_MAPS, Form.TABLE).written(obj, 200, ()).body)
    assert table["rows"][0]["cells"] == ["a", 0, "5m"]
