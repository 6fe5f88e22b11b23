"""The program: the objects of the ordinary release build, linked once more, with Swift's runtime in it."""
import platform
import re

from orchestration import RELEASE, ROOT, Failure, Run

from . import unicode
from .place import OUTPUT, PROGRAM, Source

# What Debian gives. Anything else that the program asks for was not meant.
LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
             "libssl.so.3", "libcrypto.so.3", "libpq.so.5", "librabbitmq.so.4", "libnghttp2.so.14"}
# The modules of a shared Foundation do not name what a static one is made of.
FOUNDATION = ["-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections"]


def make(run: Run, source: Source) -> None:
    run.build("--product", "martlet")
    # Changed while it was built?
    if Source.read(run) != source:
        raise Failure("the sources have changed meanwhile: once more, please")
    link(run, source)
    check(run)


def link(run: Run, source: Source) -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    work = run.directory / "dist"
    work.mkdir(parents=True, exist_ok=True)
    (work / "commit.c").write_text(f'const char martlet_commit[] = "{source.name}";\n')
    run.run(["cc", "-c", work / "commit.c", "-o", work / "commit.o"])
    unstripped = OUTPUT / "martlet.debug"
    # As SwiftPM does it (.build/release.yaml) but for the runtime; exporting every symbol would cost 5 MB.
    command = [
        "swiftc", "-emit-executable", "-module-name", "martlet", "-g", "-static-stdlib", "-o", unstripped,
        "-target", f"{platform.machine()}-unknown-linux-gnu", "-use-ld=lld",
        f"@{RELEASE}/martlet.product/Objects.LinkFileList", work / "commit.o", unicode.make(run, work), "-lpq", "-lstdc++", *FOUNDATION]
    # Relocations that are packed (glibc 2.36 reads them) save 4 MB.
    for option in ("--gc-sections", "--defsym", "main=martlet_main", "--no-export-dynamic", "-z", "pack-relative-relocs"):
        command += ["-Xlinker", option]
    # The linker warns of Foundation's own mktemp.
    run.run(command, cwd=ROOT, stderr=open(work / "link.log", "w"))
    run.run(["strip", "-o", PROGRAM, unstripped])


def check(run: Run) -> None:
    entries = run.output(["readelf", "--dynamic", "--wide", PROGRAM])
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", entries))
    if needed - LIBRARIES:
        raise Failure(f"{PROGRAM.name} needs {', '.join(sorted(needed - LIBRARIES))}, which no package of ours depends on")
    if "PATH)" in entries:
        raise Failure(f"{PROGRAM.name} looks for libraries in a folder of this machine")
    run.step(f"{run.output([PROGRAM, '--version']).strip()}, {PROGRAM.stat().st_size / 1e6:.0f} MB")
