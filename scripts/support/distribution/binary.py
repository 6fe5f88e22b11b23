"""The programs. The objects of the ordinary release build are linked again, together with Swift's runtime."""
import pathlib
import platform
import re

from ..orchestration import RELEASE, ROOT, Failure, Run

from . import unicode
from .place import OUTPUT, PROGRAM, SIMULATOR, Source

# Libraries from Debian's packages. The programs must not need any others.
LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
             "libssl.so.3", "libcrypto.so.3", "libpq.so.5", "librabbitmq.so.4", "libnghttp2.so.14"}
# The parts of a static Foundation that must be named. The release build uses the modules of a shared Foundation, which
# do not name them to the linker.
FOUNDATION = ["-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections"]


def make(run: Run, source: Source) -> None:
    for program in (PROGRAM, SIMULATOR):
        run.build("--product", program.name)
    # The sources may have changed during the build.
    if Source.read(run) != source:
        raise Failure("the sources have changed during the build; run scripts/dist again")
    for program in (PROGRAM, SIMULATOR):
        link(run, source, program)
        check(run, program)


def link(run: Run, source: Source, program: pathlib.Path) -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    work = run.directory / "dist"
    work.mkdir(parents=True, exist_ok=True)
    (work / "commit.c").write_text(f'const char martlet_commit[] = "{source.name}";\n')
    run.run(["cc", "-c", work / "commit.c", "-o", work / "commit.o"])
    unstripped = OUTPUT / f"{program.name}.debug"
    module = program.name.replace("-", "_")
    # Like SwiftPM's command (.build/release.yaml), except for the runtime. Exporting every symbol would cost 5 MB.
    command = [
        "swiftc", "-emit-executable", "-module-name", module, "-g", "-static-stdlib", "-o", unstripped,
        "-target", f"{platform.machine()}-unknown-linux-gnu", "-use-ld=lld",
        f"@{RELEASE}/{program.name}.product/Objects.LinkFileList", work / "commit.o", unicode.make(run, work), "-lpq", "-lstdc++", *FOUNDATION]
    # Packed relocations, which glibc 2.36 supports, save 4 MB.
    for option in ("--gc-sections", "--defsym", f"main={module}_main", "--no-export-dynamic", "-z", "pack-relative-relocs"):
        command += ["-Xlinker", option]
    # The log has the linker's warning about Foundation's use of mktemp.
    run.run(command, cwd=ROOT, stderr=open(work / "link.log", "w"))
    run.run(["strip", "-o", program, unstripped])


def check(run: Run, program: pathlib.Path) -> None:
    entries = run.output(["readelf", "--dynamic", "--wide", program])
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", entries))
    if needed - LIBRARIES:
        raise Failure(f"{program.name} needs {', '.join(sorted(needed - LIBRARIES))}, on which the packages do not depend")
    if "PATH)" in entries:
        raise Failure(f"{program.name} looks for libraries in a folder of this machine")
    run.step(f"{program.name} {run.output([program, '--version']).strip()}, {program.stat().st_size / 1e6:.0f} MB")
