import pytest

from sidings.api.status import ApiError, BadRequest, Cause, InternalError, Invalid, NotFound
from sidings.cli.errors import ExitCode
from sidings.cli.manifest import parse
from sidings.cli.refusal import field_of, of_document

MANIFEST = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: granite
spec:
  trainer:
    numNodez: 2
"""


@pytest.mark.parametrize(
    ("error", "field"),
    [
        (BadRequest('strict decoding error: unknown field "spec.trainer.numNodez"'), "spec.trainer.numNodez"),
        (
            InternalError(
                "failed to create typed patch object (ns/x; v1, Kind=X): "
                ".spec.trainer.numNodez: field not declared in schema"
            ),
            "spec.trainer.numNodez",
        ),
        (
            Invalid("x", causes=[Cause("FieldValueInvalid", "x", "<nil>"), Cause("x", "y", "spec.a[0].b")]),
            "spec.a[0].b",
        ),
        (Invalid("no field at all"), ""),
    ],
)
def test_the_field_is_found_wherever_the_server_names_it(error: ApiError, field: str) -> None:
    assert field_of(error) == field


def test_a_refusal_names_the_line_and_keeps_the_servers_code() -> None:
    [document] = parse(MANIFEST, "job.yaml")
    refused = of_document(document, BadRequest('strict decoding error: unknown field "spec.trainer.numNodez"'))
    assert refused.what == 'TrainJob "granite" was refused'
    assert refused.where == "job.yaml:7  spec.trainer.numNodez"
    assert refused.remedy == "kubectl explain trainjob.spec.trainer"
    assert (refused.code, refused.exit_code) == ("BadRequest", ExitCode.INVALID)


def test_an_unknown_field_is_the_manifests_error_also_where_apply_calls_it_the_servers() -> None:
    [document] = parse(MANIFEST, "job.yaml")
    refused = of_document(document, InternalError("failed: .spec.trainer.numNodez: field not declared in schema"))
    assert (refused.code, refused.exit_code) == ("BadRequest", ExitCode.INVALID)
    assert refused.cause == 'unknown field "spec.trainer.numNodez"'


def test_a_missing_namespace_says_how_to_make_it() -> None:
    [document] = parse(MANIFEST, "job.yaml")
    refused = of_document(document, NotFound('namespaces "poc" not found', name="poc", kind="namespaces"))
    assert refused.remedy == "kubectl create namespace poc"
    assert refused.exit_code is ExitCode.NOT_FOUND
