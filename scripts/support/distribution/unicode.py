"""Builds ICU's data without languages. In a program with a static Foundation, a third of the size is the data of 700 languages,
and old charsets.

Martlet needs only English and UTF-8. For a language without data, ICU uses its root data, as for an unknown language.
"""
import pathlib
import re
import shutil
import struct

from ..orchestration import Failure, Run

ARCHIVE = "lib/swift_static/linux/lib_FoundationICU.a"
KEPT = {"root", "en", "en_US", "en_US_POSIX"}
# Charset converters, and dictionaries for languages that are written without spaces.
LEFT_OUT = (".cnv", ".dict")
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z0-9][A-Za-z0-9]*)*")


def make(run: Run, folder: pathlib.Path) -> pathlib.Path:
    """Returns an object file with the symbol of the data. Linked before the library, it replaces the library's data."""
    archive = pathlib.Path(shutil.which("swiftc")).resolve().parents[1] / ARCHIVE
    symbols = run.output(["nm", "--print-file-name", "--defined-only", archive])
    found = re.findall(r":([^:]+):[0-9a-f]+ R (icudt\d+_dat)$", symbols, re.MULTILINE)
    if len(found) != 1:
        raise Failure(f"{archive.name} must have one block of data, but has {found}")
    member, symbol = found[0]
    run.run(["ar", "x", "--output", folder, archive, member])
    run.run(["objcopy", "--output-target", "binary", "--only-section", ".rodata", folder / member, folder / "icu.all"])
    (folder / "icu.dat").write_bytes(without_languages((folder / "icu.all").read_bytes()))
    (folder / "icu.s").write_text(
        f'.section .rodata,"a",%progbits\n.globl {symbol}\n.balign 16\n{symbol}:\n.incbin "{folder / "icu.dat"}"\n'
        '.section .note.GNU-stack,"",%progbits\n')
    run.run(["cc", "-c", folder / "icu.s", "-o", folder / "icu.o"])
    return folder / "icu.o"


def without_languages(data: bytes) -> bytes:
    """Returns the data without languages. The format is a header; the number of items; for each item the offsets of its name
    and its content, counted from that number; the names; and the contents, each aligned to 16 bytes."""
    start, magic = struct.unpack_from("<HH", data)
    if magic != 0x27DA or data[12:16] != b"CmnD":
        raise Failure("ICU's data have an unknown format")
    table = memoryview(data)[start:]
    (count,) = struct.unpack_from("<I", table)
    places = [struct.unpack_from("<II", table, 4 + 8 * index) for index in range(count)]
    ends = [item for _, item in places[1:]] + [len(table)]
    items = [(data[start + name:data.index(b"\0", start + name)], bytes(table[item:end])) for (name, item), end in zip(places, ends)]
    return data[:start] + packed([(name, item) for name, item in items if is_kept(name.decode())])


def is_kept(name: str) -> bool:
    file = pathlib.PurePosixPath(name)
    return file.suffix not in LEFT_OUT and (
        file.suffix != ".res" or file.stem in KEPT or not LANGUAGE.fullmatch(file.stem))


def packed(items: list[tuple[bytes, bytes]]) -> bytes:
    names, table, content = b"", b"", b""
    for name, _ in items:
        table += struct.pack("<I", 4 + 8 * len(items) + len(names)) + bytes(4)
        names += name + b"\0"
    first = 4 + len(table) + len(names)
    padding = -first % 16
    for index, (_, item) in enumerate(items):
        begin = first + padding + len(content)
        table = table[:8 * index + 4] + struct.pack("<I", begin) + table[8 * index + 8:]
        content += item + bytes(-len(item) % 16)
    return struct.pack("<I", len(items)) + table + names + bytes(padding) + content
