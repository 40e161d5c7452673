"""The cases named "recorded" are small copies of what API server 1.36 answered."""

from typing import Any

import pytest

from sidings.api import schemas
from sidings.api.apply import server_side
from sidings.api.apply.last_applied import ANNOTATION
from sidings.api.kind import Kind
from sidings.api.objects import Object, copy_of
from sidings.api.resources import CONFIG_MAPS, JOB_SETS
from sidings.api.status import BadRequest, Conflict, UnexplainedError
from tests.api.apply.schema import KIND, thing

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"

CONFIG_MAP = Kind(CONFIG_MAPS, "configmap", schemas.schema("", "v1", "ConfigMap"), builtin=True)
JOB_SET = Kind(
    JOB_SETS,
    "jobset",
    schemas.schema("jobset.x-k8s.io", "v1alpha2", "JobSet"),
    builtin=False,
    subresources=frozenset({"status"}),
)


def config(**data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ssa"}, "data": data}


def applied(
    live: Object | None, wanted: Object, manager: str = "m1", *, kind: Kind = KIND, time: str = NOW, **rest: Any
) -> Object:
    before = copy_of(live), copy_of(wanted)
    result = server_side.apply(kind, live, wanted, manager=manager, time=time, force=rest.pop("force", False), **rest)
    assert (live, wanted) == before
    return result


def entry(manager: str, fields: dict[str, Any], time: str = NOW, **rest: Any) -> Object:
    made = {"manager": manager, "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields}
    return {**made, **({"time": time} if time else {}), **rest}


def managers(obj: Object) -> list[Object]:
    return obj["metadata"]["managedFields"]  # type: ignore[no-any-return]


def test_the_recorded_life_of_a_config_map() -> None:
    first = applied(None, config(a="1", b="1"), kind=CONFIG_MAP)
    assert managers(first) == [entry("m1", {"f:data": {"f:a": {}, "f:b": {}}})]

    assert applied(first, config(a="1", b="1"), kind=CONFIG_MAP, time=LATER) is first

    # A second manager that agrees owns the field too; it has changed nothing, so it has no time, and comes first.
    second = applied(first, config(a="1"), "m2", kind=CONFIG_MAP, time=LATER)
    assert second["data"] == {"a": "1", "b": "1"}
    assert managers(second) == [
        entry("m2", {"f:data": {"f:a": {}}}, ""),
        entry("m1", {"f:data": {"f:a": {}, "f:b": {}}}),
    ]

    with pytest.raises(Conflict) as caught:
        applied(second, config(a="3", b="2"), "m2", kind=CONFIG_MAP)
    assert caught.value.message == 'Apply failed with 2 conflicts: conflicts with "m1":\n- .data.a\n- .data.b'
    assert caught.value.to_status()["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "m1"', "field": ".data.a"},
        {"reason": "FieldManagerConflict", "message": 'conflict with "m1"', "field": ".data.b"},
    ]

    # m2 takes b and lets go of a, which stays because m1 owns it.
    forced = applied(second, config(b="2"), "m2", kind=CONFIG_MAP, time=LATER, force=True)
    assert forced["data"] == {"a": "1", "b": "2"}
    assert managers(forced) == [
        entry("m1", {"f:data": {"f:a": {}}}),
        entry("m2", {"f:data": {"f:b": {}}}, LATER),
    ]

    # m1 lets go of a, which nobody owns any more.
    last = applied(forced, config(c="9"), kind=CONFIG_MAP, time=LATER)
    assert last["data"] == {"b": "2", "c": "9"}


JOB_SET_BODY: Object = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "ssa"},
    "spec": {
        "replicatedJobs": [
            {
                "name": "a",
                "template": {
                    "spec": {
                        "completions": 1,
                        "parallelism": 1,
                        "template": {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}},
                    }
                },
            }
        ],
        "suspend": True,
    },
}


def job_set(**spec: Any) -> Object:
    body = copy_of(JOB_SET_BODY)
    body["spec"].update(spec)
    return body  # type: ignore[no-any-return]


def defaulted(obj: Object) -> Object:
    """As the API server stores it: with fields that nobody applied."""
    stored = copy_of(obj)
    stored["metadata"] |= {"namespace": "n", "uid": "u", "resourceVersion": "1", "generation": 1}
    job = stored["spec"]["replicatedJobs"][0]
    job |= {"replicas": 1, "groupName": "default"}
    job["template"]["metadata"] = {}
    job["template"]["spec"]["template"]["spec"]["containers"][0]["resources"] = {}
    stored["spec"]["network"] = {"enableDNSHostnames": True}
    return stored  # type: ignore[no-any-return]


def test_the_recorded_fields_of_a_job_set() -> None:
    container = {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}}}
    pod = {"f:spec": {"f:containers": container, "f:restartPolicy": {}}}
    job = {"f:spec": {"f:completions": {}, "f:parallelism": {}, "f:template": pod}}
    assert managers(applied(None, JOB_SET_BODY, kind=JOB_SET)) == [
        entry(
            "m1",
            {
                "f:spec": {
                    "f:replicatedJobs": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:template": job}},
                    "f:suspend": {},
                }
            },
            apiVersion="jobset.x-k8s.io/v1alpha2",
        )
    ]


def test_defaults_do_not_disturb_a_repeated_apply() -> None:
    live = defaulted(applied(None, JOB_SET_BODY, kind=JOB_SET))
    assert applied(live, JOB_SET_BODY, kind=JOB_SET, time=LATER) is live


def test_an_element_that_is_not_applied_any_more_goes_with_its_defaults() -> None:
    live = defaulted(applied(None, JOB_SET_BODY, kind=JOB_SET))
    other = {**copy_of(JOB_SET_BODY["spec"]["replicatedJobs"][0]), "name": "b"}
    result = applied(live, job_set(replicatedJobs=[other]), kind=JOB_SET)
    assert [job["name"] for job in result["spec"]["replicatedJobs"]] == ["b"]


def test_one_conflict_is_told_in_one_line() -> None:
    live = applied(None, JOB_SET_BODY, kind=JOB_SET)
    wanted = {**JOB_SET_BODY, "spec": {"suspend": False}}
    with pytest.raises(Conflict) as caught:
        applied(live, wanted, "m2", kind=JOB_SET)
    assert caught.value.message == 'Apply failed with 1 conflict: conflict with "m1": .spec.suspend'
    assert [cause.field for cause in caught.value.causes] == [".spec.suspend"]


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"zz": 1}, ".spec.zz: field not declared in schema"),
        (
            {"replicatedJobs": [{"template": {}}]},
            ".spec.replicatedJobs: element 0: associative list with keys has an element that omits all key fields "
            '["name"] (and doesn\'t have default values for any key fields)',
        ),
        (
            {"replicatedJobs": [{"name": "a"}, {"name": "a"}]},
            '.spec.replicatedJobs: duplicate entries for key [name="a"]',
        ),
        (
            {"zz": 1, "suspend": "x"},
            "errors:\n  .spec.suspend: expected boolean, got string\n  .spec.zz: field not declared in schema",
        ),
    ],
)
def test_a_configuration_that_does_not_fit_is_a_500(spec: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UnexplainedError) as caught:
        applied(None, job_set(**spec), kind=JOB_SET)
    assert caught.value.message == (
        f"failed to create typed patch object (/ssa; jobset.x-k8s.io/v1alpha2, Kind=JobSet): {complaint}"
    )


def test_status_has_managers_of_its_own() -> None:
    live = defaulted(applied(None, JOB_SET_BODY, kind=JOB_SET))
    wanted = {key: value for key, value in JOB_SET_BODY.items() if key != "spec"} | {"status": {"restarts": 1}}
    result = applied(live, wanted, "st", kind=JOB_SET, subresource="status")
    assert result["status"] == {"restarts": 1}
    assert managers(result)[1]["subresource"] == "status"
    assert managers(result)[1]["fieldsV1"] == {"f:status": {"f:restarts": {}}}


def test_fields_of_the_other_endpoint_are_not_claimed() -> None:
    wanted = {**thing({"image": "i"}), "status": {"restarts": 1}}
    assert managers(applied(None, wanted))[0]["fieldsV1"] == {"f:spec": {"f:image": {}}}


def updated(obj: Object, manager: str, fields: dict[str, Any]) -> Object:
    made = entry(manager, fields, operation="Update", apiVersion="example.com/v1")
    return {**obj, "metadata": {**obj["metadata"], "managedFields": [made]}}


def test_a_conflict_with_an_update_names_its_version() -> None:
    live = updated(thing({"replicas": 1}), "kubectl-edit", {"f:spec": {"f:replicas": {}}})
    with pytest.raises(Conflict) as caught:
        applied(live, thing({"replicas": 2}))
    assert caught.value.message == (
        'Apply failed with 1 conflict: conflict with "kubectl-edit" using example.com/v1: .spec.replicas'
    )


def test_the_same_value_is_no_conflict_and_is_shared() -> None:
    live = updated(thing({"replicas": 1}), "kubectl-edit", {"f:spec": {"f:replicas": {}}})
    result = applied(live, thing({"replicas": 1}))
    assert [(e["manager"], e["fieldsV1"]) for e in managers(result)] == [
        ("m1", {"f:spec": {"f:replicas": {}}}),
        ("kubectl-edit", {"f:spec": {"f:replicas": {}}}),
    ]


def test_an_untracked_object_belongs_to_whoever_was_before() -> None:
    live = thing({"replicas": 1, "image": "i"})
    with pytest.raises(Conflict, match=r'"before-first-apply" using example\.com/v1: \.spec\.replicas'):
        applied(live, thing({"replicas": 2}))
    result = applied(live, thing({"replicas": 1}))
    assert [e["manager"] for e in managers(result)] == ["m1", "before-first-apply"]
    assert result["spec"] == live["spec"]


def test_applying_nothing_gives_everything_up() -> None:
    live = applied(None, thing({"image": "i"}, labels={"a": "b"}))
    result = applied(live, thing())
    assert "managedFields" not in result["metadata"]
    assert "spec" not in result
    assert "labels" not in result["metadata"]


def test_what_others_put_below_an_owned_map_stays() -> None:
    live = applied(None, thing({"nodeSelector": {"a": "1"}}))
    live = applied(live, thing({"nodeSelector": {"b": "2"}}), "m2")
    assert applied(live, thing())["spec"] == {"nodeSelector": {"b": "2"}}


def test_a_list_element_is_shared_field_by_field() -> None:
    live = applied(None, thing({"jobs": [{"name": "a", "replicas": 1}]}))
    live = applied(live, thing({"jobs": [{"name": "a", "template": {"image": "i"}}]}), "m2")
    assert live["spec"]["jobs"] == [{"name": "a", "replicas": 1, "template": {"image": "i"}}]
    assert applied(live, thing())["spec"]["jobs"] == [{"name": "a", "template": {"image": "i"}}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"apiVersion": None, "kind": None}, "invalid object type: /, Kind="),
        ({"apiVersion": "v1", "kind": "Pod"}, "invalid object type: /v1, Kind=Pod"),
        ({"metadata": {"name": "x", "managedFields": [{"manager": "y"}]}}, "metadata.managedFields must be nil"),
    ],
)
def test_a_configuration_of_something_else_is_refused(change: Object, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        applied(None, {**thing(), **change})
    assert caught.value.message == message


def client_side(last: str, **spec: Any) -> Object:
    live = thing(spec, annotations={ANNOTATION: last})
    fields = {"f:spec": {f"f:{name}": {} for name in spec}}
    return updated(live, "kubectl-client-side-apply", fields)


LAST = '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"image":"i"}}'


def test_kubectl_takes_over_what_it_last_applied_from_the_client_side() -> None:
    live = client_side(LAST, image="i")
    result = applied(live, thing({"image": "j"}), "kubectl")
    assert result["spec"] == {"image": "j"}
    assert '"image":"j"' in result["metadata"]["annotations"][ANNOTATION]
    with pytest.raises(Conflict):
        applied(live, thing({"image": "j"}), "somebody")


def test_kubectl_does_not_take_what_was_changed_since() -> None:
    live = client_side(LAST, image="changed")
    with pytest.raises(Conflict, match="kubectl-client-side-apply"):
        applied(live, thing({"image": "j"}), "kubectl")


@pytest.mark.parametrize("last", ["", "{", "[]", '{"kind":"Pod"}'])
def test_an_annotation_that_says_nothing_allows_nothing(last: str) -> None:
    with pytest.raises(Conflict):
        applied(client_side(last, image="i"), thing({"image": "j"}), "kubectl")
