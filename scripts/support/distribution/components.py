"""Other projects' code in the programs, and its licences, for the packages, the image and the bill of materials.

The linker's input names modules, and a module's build files name its source files. A checkout is not linked if none of its
files is listed. The texts of a checkout are its LICENSE and NOTICE. Code that it includes from elsewhere has its texts beside
or inside that code, or in deploy/licences.
"""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterable

from ..orchestration import RELEASE, ROOT, Failure, Run

from .place import OUTPUT, PROGRAM, SIMULATOR, Source

CHECKOUTS, TEXTS = ROOT / ".build" / "checkouts", ROOT / "deploy" / "licences"
NAME = "THIRD-PARTY-LICENSES"
# C code that a package includes from elsewhere: its name, its repository, its licence, and the file and pattern of its version.
TAKEN = {
    "CCryptoBoringSSL": ("boringssl", "google/boringssl", "Apache-2.0 AND MIT", ("hash.txt", r"revision (\w+)")),
    "CNIOBoringSSL": ("boringssl", "google/boringssl", "Apache-2.0 AND MIT", ("hash.txt", r"revision (\w+)")),
    "CNIOAtomics": ("ushet", "18sg/uSHET", "MIT", ("src/cpp_magic.h", r"blob/(\w+)")),
    "CNIOLLHTTP": ("llhttp", "nodejs/llhttp", "MIT", ("include/c_nio_llhttp.h", r"LLHTTP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)")),
    "CXKCP": ("xkcp", "XKCP/XKCP", "CC0-1.0", ("vendored-sources.txt", r"-g(\w+)")),
    "CYaml": ("libyaml", "yaml/libyaml", "MIT", None),
}
# Folders with the package's own code, although their files do not say so.
OWN = {"CSystem"}
# Components of the toolchain's static libraries.
RUNTIME = ["swift", "swift-corelibs-libdispatch", "swift-corelibs-foundation", "swift-foundation", "swift-foundation-icu"]
GRANT = re.compile(r"permission is hereby granted|redistribution and use|waived all copyright", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.DOTALL | re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Component:
    name: str
    # The version, or None if it is unknown.
    version: str | None
    purl: str
    licence: str
    texts: tuple[str, ...]


def make(_run: Run, _source: Source) -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / NAME).write_text(document(linked()))


def linked() -> list[Component]:
    files = sources()
    versions = pins()
    found = runtime()
    for package in sorted({file.parts[0] for file in files}):
        own = [file for file in files if file.parts[0] == package]
        taken = sorted({file.parts[2] for file in own if is_foreign(file)} - OWN)
        texts = [*texts_beside(CHECKOUTS / package), *grants(file for file in own if file.parts[2] not in taken)]
        version, place = versions[package]
        found.append(component(package, version, f"pkg:swift/{place}@{version}", texts))
        for folder in taken:
            found.append(taken_from_elsewhere(package, folder, [file for file in own if file.parts[2] == folder]))
    return found


def sources() -> set[pathlib.Path]:
    """Returns the source and header files in checkouts from which the programs were built, according to the compilers' lists."""
    listed, found = set(), set()
    lists = [RELEASE / f"{program.name}.product" / "Objects.LinkFileList" for program in (PROGRAM, SIMULATOR)]
    for line in (line for file in lists for line in file.read_text().splitlines()):
        one = pathlib.Path(line.strip("'\""))
        module = next(folder for folder in one.parents if folder.suffix == ".build")
        swift = module / "sources"
        listed.add(swift if swift.exists() else one.with_suffix(".d"))
    for file in listed:
        for word in re.findall(r"'[^']*'|(?:\\.|[^\s\\])+", file.read_text()):
            path = pathlib.Path(os.path.normpath(word.strip("'").replace("\\", "")))
            if path.is_relative_to(CHECKOUTS):
                found.add(path.relative_to(CHECKOUTS))
    if not found:
        raise Failure("no source file of the programs is in .build/checkouts")
    return found


def pins() -> dict[str, tuple[str, str]]:
    """Returns the version and the origin of each package."""
    found = {}
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        place = re.sub(r"^https://|\.git$", "", pin["location"])
        found[place.rpartition("/")[2]] = (pin["state"].get("version") or pin["state"]["revision"], place)
    return found


def is_foreign(file: pathlib.Path) -> bool:
    """Returns whether a C file comes from another project. Packages with C are Apple's, and their own files name Apple at the
    top."""
    if file.suffix == ".swift":
        return False
    return "Apple Inc." not in (CHECKOUTS / file).read_text(errors="replace")[:1000]


def taken_from_elsewhere(package: str, folder: str, files: list[pathlib.Path]) -> Component:
    if folder not in TAKEN:
        raise Failure(f"{package} has another project's code in {folder}; add its licence to scripts/support/distribution/components.py")
    name, home, licence, stated = TAKEN[folder]
    place = CHECKOUTS / package / "Sources" / folder
    version = ".".join(re.findall(stated[1], (place / stated[0]).read_text())) if stated else None
    text = TEXTS / f"{name}.txt"
    texts = [*texts_beside(place), *grants(files), *([text.read_text()] if text.exists() else [])]
    return component(name, version, f"pkg:github/{home}" + (f"@{version}" if version else ""), texts, licence)


def runtime() -> list[Component]:
    compiler = shutil.which("swiftc")
    if compiler is None:
        raise Failure("swiftc is not in PATH, but the packages need the licence of its runtime")
    usr = pathlib.Path(compiler).resolve().parents[1]
    said = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
    version, tag = re.search(r"Swift version (\S+) \((\S+)\)", said).groups()
    texts = texts_beside(usr / "share" / "swift")
    header = (usr / "lib" / "swift_static" / "_foundation_unicode" / "uvernum.h").read_text()
    icu = re.search(r'define U_ICU_VERSION "(.*)"', header)[1]
    return [*(component(name, version, f"pkg:github/swiftlang/{name}@{tag}", texts) for name in RUNTIME),
            component("icu", icu, f"pkg:github/unicode-org/icu@{icu}", [(TEXTS / "icu.txt").read_text()], "Unicode-3.0")]


def component(name: str, version: str | None, purl: str, texts: list[str], licence: str | None = None) -> Component:
    if not texts:
        raise Failure(f"{name} is linked into a program, but the text of its licence is missing")
    return Component(name, version, purl, licence or kind(texts), tuple(texts))


def texts_beside(folder: pathlib.Path) -> list[str]:
    files = [file for file in sorted(folder.glob("*")) if re.match(r"LICEN[CS]E|NOTICE|COPYING", file.name)]
    # A notice alone is not a licence.
    return [file.read_text() for file in files] if any("NOTICE" not in file.name for file in files) else []


def grants(files: Iterable[pathlib.Path]) -> list[str]:
    """Returns the comments in the code that are licences."""
    found = []
    for file in sorted(files):
        for comment in COMMENT.findall((CHECKOUTS / file).read_text(errors="replace")):
            if GRANT.search(comment):
                found.append("\n".join(re.sub(r"^[ \t]*(/\*+|\*+/|\*|//)? ?", "", line) for line in comment.splitlines()))
    return found


def kind(texts: list[str]) -> str:
    text = "".join(texts)
    if "Apache License" in text:
        return "Apache-2.0" + (" WITH Swift-exception" if "Runtime Library Exception" in text else "")
    return "MIT" if "MIT License" in text else "NOASSERTION"


def document(components: list[Component]) -> str:
    """Returns a document with each text once, under the names of its components."""
    names: dict[str, list[str]] = {}
    wording: dict[str, str] = {}
    for one in components:
        title = " ".join(filter(None, (one.name, one.version)))
        for text in one.texts:
            words = " ".join(text.split())
            wording.setdefault(words, text.strip("\n"))
            if title not in names.setdefault(words, []):
                names[words].append(title)
    line = "=" * 80
    parts = [f"{line}\n" + "\n".join(names[words]) + f"\n{line}\n\n{text}\n" for words, text in wording.items()]
    return "The programs martlet and martlet-simulator include code of other projects. Their licences and notices:\n\n" + "\n".join(parts)
