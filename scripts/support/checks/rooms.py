"""The rule about folders (docs/design.md, "Targets"): two folders of a target must not use each other's types."""
import itertools
import pathlib
import re

from . import sources

# DeliveryPipeline still has folders that use each other. Delete this entry when it is rebuilt.
EXEMPT = {"DeliveryPipeline"}

# Code in an interpolation, with at most four nested pairs of parentheses.
INSIDE = r'[^()"\n]|"[^"\n]*"'
for _depth in range(4):
    INSIDE = rf'[^()"\n]|"[^"\n]*"|\((?:{INSIDE})*\)'
INTERPOLATION = re.compile(rf"\\#*\(((?:{INSIDE})*)\)")
TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|(#+)".*?"\1|""".*?"""' + rf'|"(?:\\\((?:{INSIDE})*\)|\\[^\n]|[^"\\\n])*"', re.DOTALL)
DECLARATION = re.compile(
    r"^(?P<indent>[ \t]*)(?:@\w+(?:\([^)\n]*\))?\s+)*(?P<modifiers>(?:(?:public|open|package|internal|fileprivate|private|final|indirect|nonisolated)\s+)*)"
    r"(?:struct|class|enum|actor|protocol|typealias|associatedtype)\s+(?P<name>[A-Z]\w*)", re.MULTILINE)
IMPORT = re.compile(r"^.*\bimport\s.*$", re.MULTILINE)
# Matches the name of a type. A name after a dot is a nested type, which does not count.
NAME = re.compile(r"(?<![\w.])[A-Z]\w*")


def code_of(text: str) -> str:
    """Returns the text without comments, imports and strings. Interpolated code stays."""
    def code_in(found: re.Match) -> str:
        return "" if found[0].startswith("/") else f'"{" ".join(code_of(code) for code in INTERPOLATION.findall(found[0]))}"'
    return IMPORT.sub("", TEXT.sub(code_in, text))


def uses(target: pathlib.Path) -> list[tuple[pathlib.Path, str, pathlib.Path]]:
    """Returns the uses of a type in a file other than its own, as file, type and file of the type. Nested types do not count,
    because many files have types such as `State`. A type counts if exactly one file declares its name at the top
    level."""
    code = {file.relative_to(target): code_of(file.read_text()) for file in sources.swift_files(target, ".")}
    owners: dict[str, set[pathlib.Path]] = {}
    own: dict[pathlib.Path, set[str]] = {}
    for file, text in code.items():
        declared = list(DECLARATION.finditer(text))
        own[file] = {found["name"] for found in declared}
        for found in declared:
            if not found["indent"] and "private" not in found["modifiers"]:
                owners.setdefault(found["name"], set()).add(file)
    found = []
    for file, text in code.items():
        for name in sorted(set(NAME.findall(text)) - own[file]):
            if len(owners.get(name, ())) == 1:
                found.append((file, name, *owners[name]))
    return found


def pairs(root: pathlib.Path) -> list[str]:
    """Checks each target, and each folder that has folders. Files next to the folders may use them and be used by them."""
    problems = []
    for target in sorted((root / "Sources").iterdir()):
        if target.name in EXEMPT or not target.is_dir():
            continue
        examples: dict[tuple[pathlib.Path, pathlib.Path], list[str]] = {}
        for user, name, owner in uses(target):
            for used, using in zip(owner.parents[-2::-1], user.parents[-2::-1]):
                if used != using:
                    examples.setdefault((using, used), []).append(f"{user.relative_to(using)} uses {name}")
                    break
        for one, other in itertools.combinations(sorted({folder for pair in examples for folder in pair}), 2):
            there, back = examples.get((one, other)), examples.get((other, one))
            if there and back:
                problems.append(f"{target.relative_to(root)}: {one} and {other} use each other: in {one}, {there[0]} "
                                f"({len(there)} uses); in {other}, {back[0]} ({len(back)} uses)")
    return problems
