"""Lists: order, pages of one moment, versions, selectors."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from sidings.api.options import EXACT, ListOptions
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, Resource
from sidings.api.status import BadRequest, Expired, Timeout
from sidings.registry.listing import Page


def page(api: Any, resource: Resource = CONFIG_MAPS, namespace: str = "default", **wanted: Any) -> Page:
    return api.registry.list(api.kind(resource), namespace, ListOptions(**wanted))


def names(found: Page) -> list[str]:
    return [item.object["metadata"]["name"] for item in found.items]


@pytest.fixture
async def five(api) -> Any:
    for name in "edcba":
        await api.create(CONFIG_MAPS, {"metadata": {"name": name, "labels": {"vowel": str(name in "ae").lower()}}})
    return api


async def test_a_list_is_sorted_and_says_its_version(five) -> None:
    found = page(five)
    assert names(found) == ["a", "b", "c", "d", "e"]
    assert found.resource_version == str(five.store.revision)
    assert (found.continue_, found.remaining) == ("", None)
    assert b'"name":"a"' in found.items[0].data


async def test_a_list_over_all_namespaces_is_sorted_by_namespace(five) -> None:
    await five.create(NAMESPACES, {"metadata": {"name": "ant"}})
    await five.create(CONFIG_MAPS, {"metadata": {"name": "z"}}, namespace="ant")
    assert names(page(five, namespace="")) == ["z", "a", "b", "c", "d", "e"]
    assert names(page(five, namespace="nope")) == []


async def test_pages_show_one_moment_whatever_happens_meanwhile(five) -> None:
    first = page(five, limit=2)
    assert names(first) == ["a", "b"]
    assert first.remaining == 3
    await five.registry.delete(five.kind(CONFIG_MAPS), "d", "default")
    await five.create(CONFIG_MAPS, {"metadata": {"name": "bb"}})
    second = page(five, limit=2, continue_=first.continue_)
    assert names(second) == ["c", "d"]
    assert second.remaining == 1
    assert second.resource_version == first.resource_version
    last = page(five, limit=2, continue_=second.continue_)
    assert names(last) == ["e"]
    assert (last.continue_, last.remaining) == ("", None)
    assert names(page(five)) == ["a", "b", "bb", "c", "e"]


async def test_a_token_that_is_too_old_comes_with_one_for_the_present(five) -> None:
    held = {"v": "meta.k8s.io/v1", "rv": 1, "start": "default/b\0"}
    token = base64.urlsafe_b64encode(json.dumps(held).encode()).decode()
    with pytest.raises(Expired, match="results in an inconsistent list") as caught:
        page(five, limit=2, continue_=token)
    assert caught.value.to_status()["metadata"] == {"continue": caught.value.continue_}
    await five.registry.delete(five.kind(CONFIG_MAPS), "c", "default")
    rest = page(five, limit=2, continue_=caught.value.continue_)
    assert (names(rest), rest.resource_version) == (["d", "e"], str(five.store.revision))


async def test_pages_of_a_selection_do_not_count_what_remains(five) -> None:
    first = page(five, limit=1, label_selector="vowel=false")
    assert names(first) == ["b"]
    assert first.continue_
    assert first.remaining is None
    assert names(page(five, limit=9, label_selector="vowel=false", continue_=first.continue_)) == ["c", "d"]


async def test_an_exact_version_is_that_moment(five) -> None:
    then = str(five.store.revision)
    await five.create(CONFIG_MAPS, {"metadata": {"name": "f"}})
    assert "f" not in names(page(five, resource_version=then, resource_version_match=EXACT))
    assert "f" in names(page(five, resource_version=then))
    with pytest.raises(Expired, match=r"The resourceVersion for the provided list is too old."):
        page(five, resource_version="1", resource_version_match=EXACT)


async def test_versions_that_are_none_or_not_there_yet(five) -> None:
    with pytest.raises(BadRequest) as caught:
        page(five, resource_version="abc")
    assert caught.value.message == (
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid '
        "syntax"
    )
    with pytest.raises(Timeout) as late:
        page(five, resource_version="999999999")
    assert late.value.message == f"Timeout: Too large resource version: 999999999, current: {five.store.revision}"
    assert late.value.retry_after_seconds == 1


async def test_tokens_that_are_none(five) -> None:
    token = page(five, limit=1).continue_
    with pytest.raises(BadRequest, match="specifying resource version is not allowed when using continue"):
        page(five, limit=1, continue_=token, resource_version="5")
    with pytest.raises(BadRequest) as caught:
        page(five, limit=1, continue_="garbage")
    assert caught.value.message == (
        "invalid continue token: continue key is not valid: invalid character '\\u0081' looking for beginning of value"
    )
