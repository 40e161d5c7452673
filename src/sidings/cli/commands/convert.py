"""``sidings convert``: jobs of the Training Operator as TrainJobs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from sidings.cli.errors import ExitCode, NotConvertible
from sidings.cli.invocation import Invocation

SUMMARY = "turn jobs of the Training Operator (v1) into TrainJobs"
DESCRIPTION = """
Print a TrainJob for every job of kubeflow.org/v1 in the manifests, with a TrainingRuntime where its pods say more than
a TrainJob can. Other objects are printed as they are. stderr says what is lost and what works otherwise.
Nothing is applied: `sidings convert -f old.yaml | sidings run -f -`.
"""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-f", "--filename", action="append", required=True, metavar="FILE", help="a manifest, a folder or -"
    )


def run(args: Namespace, invocation: Invocation) -> int:
    from sidings.answers.conversion import finding, trainjob
    from sidings.api import objects, yaml_documents
    from sidings.api.training_operator import framework
    from sidings.cli import manifest

    made = []
    for document in manifest.read(args.filename, invocation.stdin):
        if framework.of_object(document.obj) is None:
            made.append(document.obj)
            continue
        try:
            conversion = trainjob.convert(document.obj)
        except finding.NotConvertible as error:
            raise NotConvertible(
                f"{document.title} has no TrainJob that does the same",
                cause=str(error),
                remedy="kubectl explain trainingruntime.spec, and write it anew",
                where=document.where("spec"),
            ) from error
        made += conversion.documents
        for found in conversion.findings:
            invocation.console.say(f"{document.title}: {found}")
    # Copies, because an anchor of the manifest would come out as one.
    texts = [yaml_documents.dump(objects.copy_of(obj)).rstrip("\n") for obj in made]
    invocation.console.print("\n---\n".join(texts))
    return ExitCode.OK
