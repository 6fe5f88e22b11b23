"""Builds the reference of Martlet's libraries with DocC, from built modules: those of library products, and those they
re-export."""
import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
FOLDER = "reference"


class Failure(Exception):
    pass


def make(folder: pathlib.Path, work: pathlib.Path, base: str) -> int:
    """Writes the reference to the folder and returns its number of pages. Fails if a link between symbols does not resolve.

    `base` is the path of the folder on its server, because DocC's pages do not support relative links."""
    shutil.rmtree(work, ignore_errors=True)
    archives = [archive(module, work) for module in modules()]
    merged, made = work / "all.doccarchive", work / "made"
    run("docc", "merge", *archives, "--output-path", merged, "--synthesized-landing-page-name", "Libraries")
    run("docc", "process-archive", "transform-for-static-hosting", merged, "--output-path", made, "--hosting-base-path", base)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(made, folder)
    return sum(1 for _ in (folder / "documentation").rglob("index.html"))


def modules() -> list[str]:
    package = json.loads(run("swift", "package", "--package-path", ROOT, "dump-package").stdout)
    found = [target for product in package["products"] if "library" in product["type"] for target in product["targets"]]
    for module in found:
        for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            exported = re.findall(r"^@_exported public import (\w+)", file.read_text(), re.MULTILINE)
            found += [name for name in exported if (ROOT / "Sources" / name).is_dir() and name not in found]
    return found


def archive(module: str, work: pathlib.Path) -> pathlib.Path:
    graphs, made = work / module, work / f"{module}.doccarchive"
    graphs.mkdir(parents=True)
    run("swift-symbolgraph-extract", "-module-name", module, "-target", target(), "-I", RELEASE / "Modules", *c_modules(),
        "-minimum-access-level", "public", "-skip-inherited-docs", "-output-dir", graphs)
    told = run("docc", "convert", "--additional-symbol-graph-dir", graphs, "--fallback-display-name", module,
               "--fallback-bundle-identifier", f"martlet.{module}", "--output-path", made)
    lost = [line for line in (told.stdout + told.stderr).splitlines() if "doesn't exist at" in line]
    if lost:
        raise Failure("\n".join(lost))
    return made


def target() -> str:
    return json.loads(run("swift", "-print-target-info").stdout)["target"]["triple"]


def c_modules() -> list[str]:
    """Returns the options for the module maps of C modules: those of this package, of its dependencies, and those made by
    SwiftPM."""
    found = {file.parent for place in (ROOT / "Sources", ROOT / ".build" / "checkouts") for file in place.rglob("module.modulemap")}
    found |= set((ROOT / ".build" / "checkouts").glob("*/Sources/C*/include"))
    options = run("pkg-config", "--cflags-only-I", "libpq").stdout.split()
    options += [f"-I{folder}" for folder in sorted(found)]
    for file in sorted(RELEASE.glob("*.build/module.modulemap")):
        options += ["-Xcc", f"-fmodule-map-file={file}"]
    return options


def run(program: str, *rest: str | os.PathLike) -> subprocess.CompletedProcess:
    beside = pathlib.Path(shutil.which("swift") or "").resolve().with_name(program)
    command = [os.fspath(part) for part in (beside if beside.exists() else program, *rest)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if made.returncode != 0:
        raise Failure(f"{program} {rest[0]}: {made.stdout.strip()} {made.stderr.strip()}")
    return made
