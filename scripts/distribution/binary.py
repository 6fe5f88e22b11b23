"""The program. The objects of the ordinary release build are linked again, together with Swift's runtime."""
import platform
import re

from orchestration import RELEASE, ROOT, Failure, Run

from . import unicode
from .place import OUTPUT, PROGRAM, Source

# Libraries from Debian's packages. The program must not need any others.
LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
             "libssl.so.3", "libcrypto.so.3", "libpq.so.5", "librabbitmq.so.4", "libnghttp2.so.14"}
# A shared Foundation's modules do not name these parts of a static Foundation.
FOUNDATION = ["-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections"]


def make(run: Run, source: Source) -> None:
    run.build("--product", "martlet")
    # The sources may have changed during the build.
    if Source.read(run) != source:
        raise Failure("the sources have changed during the build; run scripts/dist again")
    link(run, source)
    check(run)


def link(run: Run, source: Source) -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    work = run.directory / "dist"
    work.mkdir(parents=True, exist_ok=True)
    (work / "commit.c").write_text(f'const char martlet_commit[] = "{source.name}";\n')
    run.run(["cc", "-c", work / "commit.c", "-o", work / "commit.o"])
    unstripped = OUTPUT / "martlet.debug"
    # Like SwiftPM's command (.build/release.yaml), except for the runtime. Exporting every symbol would cost 5 MB.
    command = [
        "swiftc", "-emit-executable", "-module-name", "martlet", "-g", "-static-stdlib", "-o", unstripped,
        "-target", f"{platform.machine()}-unknown-linux-gnu", "-use-ld=lld",
        f"@{RELEASE}/martlet.product/Objects.LinkFileList", work / "commit.o", unicode.make(run, work), "-lpq", "-lstdc++", *FOUNDATION]
    # Packed relocations, which glibc 2.36 supports, save 4 MB.
    for option in ("--gc-sections", "--defsym", "main=martlet_main", "--no-export-dynamic", "-z", "pack-relative-relocs"):
        command += ["-Xlinker", option]
    # The log has the linker's warning about Foundation's use of mktemp.
    run.run(command, cwd=ROOT, stderr=open(work / "link.log", "w"))
    run.run(["strip", "-o", PROGRAM, unstripped])


def check(run: Run) -> None:
    entries = run.output(["readelf", "--dynamic", "--wide", PROGRAM])
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", entries))
    if needed - LIBRARIES:
        raise Failure(f"{PROGRAM.name} needs {', '.join(sorted(needed - LIBRARIES))}, on which the packages do not depend")
    if "PATH)" in entries:
        raise Failure(f"{PROGRAM.name} looks for libraries in a folder of this machine")
    run.step(f"{run.output([PROGRAM, '--version']).strip()}, {PROGRAM.stat().st_size / 1e6:.0f} MB")
