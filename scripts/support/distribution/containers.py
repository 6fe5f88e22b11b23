"""The container image and the Helm chart: docs/containers.md, docs/kubernetes.md."""
import re
import shutil

from ..orchestration import ROOT, Run

from .place import OUTPUT, PROGRAM, SIMULATOR, Source


def make(run: Run, source: Source) -> None:
    run.run([ROOT / "deploy" / "image" / "build", "--binary", PROGRAM, "--simulator", SIMULATOR])
    for made, name in (("image.tar", "martlet-image.tar"), ("sbom.spdx.json", "martlet-image.spdx.json")):
        shutil.copy(ROOT / ".local" / "image" / made, OUTPUT / name)
    chart = ROOT / "deploy" / "chart"
    version = re.search(r"^version: *\"?([^\"\s]+)", (chart / "Chart.yaml").read_text(), re.MULTILINE)[1]
    # Makes the same archive as `helm package`. Links to other files of this repository become files.
    run.run(["tar", "--create", "--file", OUTPUT / f"martlet-chart-{version}.tgz", "--use-compress-program", "gzip --no-name",
             "--dereference", "--sort", "name", "--mtime", f"@{source.time}", "--owner", "0", "--group", "0", "--numeric-owner",
             "--exclude", "chart/tests", "--transform", "s/^chart/martlet/", "--directory", chart.parent, "chart"])
