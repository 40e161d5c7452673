import pytest

from sidings.api.kinds.pod_spec.volumes import validate, validate_mounts


def errors(*volumes):
    return [str(error) for error in validate(list(volumes), "v")[0]]


@pytest.mark.parametrize(
    ("volume", "texts"),
    [
        ({"name": "a", "emptyDir": {}}, []),
        ({"name": "a"}, ["v[0]: Required value: must specify a volume type"]),
        ({"emptyDir": {}}, ["v[0].name: Required value"]),
        (
            {"name": "a", "emptyDir": {}, "persistentVolumeClaim": {"claimName": "c"}},
            ["v[0].persistentVolumeClaim: Forbidden: may not specify more than 1 volume type"],
        ),
        (
            {"name": "a", "hostPath": {"path": "/data/../etc"}},
            ["v[0].hostPath.path: Invalid value: \"/data/../etc\": must not contain '..'"],
        ),
        ({"name": "a", "persistentVolumeClaim": {}}, ["v[0].persistentVolumeClaim.claimName: Required value"]),
        (
            {"name": "a", "configMap": {"name": "c", "items": [{"key": "k", "path": "/x"}]}},
            ['v[0].configMap.items[0].path: Invalid value: "/x": must be a relative path'],
        ),
        (
            {"name": "a", "secret": {"secretName": "s", "items": [{"key": "k", "path": "..x"}]}},
            ["v[0].secret.items[0].path: Invalid value: \"..x\": must not start with '..'"],
        ),
        (
            {"name": "a", "projected": {"sources": [{"serviceAccountToken": {}}]}},
            ["v[0].projected.sources[0].serviceAccountToken.path: Required value"],
        ),
    ],
)
def test_volumes(volume, texts):
    assert errors(volume) == texts


def test_names_are_unique():
    assert errors({"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}) == ['v[1].name: Duplicate value: "a"']


@pytest.mark.parametrize(
    ("mount", "texts"),
    [
        ({"name": "a", "mountPath": "/a", "subPath": "x/y"}, []),
        ({"name": "b", "mountPath": "/b"}, ['m[0].name: Not found: "b"']),
        ({"name": "a"}, ["m[0].mountPath: Required value"]),
        (
            {"name": "a", "mountPath": "/a", "subPath": "/etc"},
            ['m[0].subPath: Invalid value: "/etc": must be a relative path'],
        ),
        (
            {"name": "a", "mountPath": "/a", "subPath": "x/../../y"},
            ["m[0].subPath: Invalid value: \"x/../../y\": must not contain '..'"],
        ),
    ],
)
def test_mounts(mount, texts):
    _, known = validate([{"name": "a", "emptyDir": {}}, {"name": "b"}], "v")
    assert [str(error) for error in validate_mounts([mount], known, "m")] == texts


def test_mount_points_are_unique():
    _, known = validate([{"name": "a", "emptyDir": {}}], "v")
    mounts = [{"name": "a", "mountPath": "/a"}, {"name": "a", "mountPath": "/a"}]
    assert [str(error) for error in validate_mounts(mounts, known, "m")] == [
        'm[1].mountPath: Invalid value: "/a": must be unique'
    ]
