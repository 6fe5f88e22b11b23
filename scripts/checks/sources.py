"""Rules about the Swift sources (docs/design.md, "Targets")."""
import pathlib
import re

# A module may import those before it in this list, never itself or one after it.
ORDER = [
    "CRabbitMQ", "CLibPQ", "CNGHTTP2", "COpenSSL", "CLinux",
    "Threading", "Addressing", "Pacing", "EventNames", "Metering", "AMQPClient", "PostgresClient", "HTTP2Session", "HTTP2Channel", "HTTP2Pool",
    "PushModel", "Traces", "OutputConformance", "CredentialFormats", "PackageSigning", "MigrationFiles", "Store", "PushSending",
    "APNSOutput", "FCMOutput", "WebPushOutput", "WebhookOutput",
    "DeliveryPipeline", "PushSimulator", "APNSSimulator", "FCMSimulator", "WebPushSimulator", "Ledger", "MartletService",
    "MartletCommand", "SimulatorCommands", "APNSCommands", "FCMCommands", "WebPushCommands", "MartletOutputs", "martlet",
    "martlet-bench",
]
# Only these may name an output: everything else works with the Output protocol.
COMPOSERS = {"APNSCommands", "MartletOutputs", "martlet-bench"}
# Where outputs are listed, and the line that says which one a job goes to that names none.
LISTS = {"MartletOutputs", "martlet-bench"}
DEFAULT_OUTPUT = "static let defaultOutput ="
SWIFT_FOLDERS = ("Sources", "Tests", "Benchmarks", "Fuzzing", "Torture")
LONGEST_FILE = 400
# Lines of code of a type with its extensions, in all files of its target: without empty lines and comments.
LARGEST_TYPE = 260
# Those that may have more, how many, and why.
LARGE_TYPES = {
    ("AMQPClient", "BrokerLink"): (520, "all that is called on one connection of librabbitmq: its C state has one owner"),
    ("TortureRun", "Verdict"): (320, "a rule of the promises each, over the same record"),
}
# What the command says goes through its `print`, which lets no byte of a stranger's move the terminal.
MEASURED = re.compile(r"let (\w+)(?:: \w+)? = [^\n]*\.now\S* - ")
REMAINING = re.compile(r"\((?:[2-9]|\d[\d_]+)\.\.[.<][\d_]+\)\.contains\([^()]*\.(?:retryAfterSeconds|silentSeconds)\b")
TERMINAL = re.compile(r"\bSwift\.(?:print|debugPrint|dump)\b|\b(?:debugPrint|dump|fputs|puts|fwrite|printf)\s*\("
                      r"|\bFileHandle\.standard(?:Output|Error)\b|\bStreamLogHandler\b")
TERMINAL_OWNERS = {"Sources/MartletCommand/Support/Printing.swift", "Sources/MartletService/Log/StandardError.swift"}

TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private|final|indirect)\s+)*"
    r"(?:struct|class|enum|actor|protocol|extension)\s+(?P<name>\w+)")
IMPORT = re.compile(
    r"^\s*(?:@\w+\s+)*(?P<access>public|package|internal|fileprivate|private)?\s*import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(?P<module>\w+)")
# What ends the process or switches a check of the compiler off, and coroutines, which allocate where they are not inlined.
# Each use says why it is right there.
NEEDS_REASON = re.compile(
    r"\btry!|\bas!|\b(?:fatalError|preconditionFailure|precondition|assertionFailure|unsafeBitCast)\s*\("
    r"|@unchecked\s+Sendable|nonisolated\(unsafe\)|\bunowned\(unsafe\)"
    r"|\b_(?:read|modify)\s*\{")
FORMAT_IGNORED = re.compile(r"//\s*swift-format-ignore")
REASON = re.compile(r"//+\s*why:", re.IGNORECASE)


def swift_files(root: pathlib.Path, *folders: str) -> list[pathlib.Path]:
    return sorted(file for folder in folders for file in (root / folder).rglob("*.swift"))


def without_text(line: str) -> str:
    """The line without string literals and comments, so that words in them don't count."""
    return re.sub(r"//.*", "", re.sub(r'"(?:\\.|[^"\\])*"', '""', line))


def imports(root: pathlib.Path) -> list[str]:
    problems = []
    owners: dict[str, set[str]] = {}
    places = {name: place for place, name in enumerate(ORDER)}
    for file in swift_files(root, "Sources"):
        importer = file.relative_to(root / "Sources").parts[0]
        if importer not in places:
            problems.append(f"{file.relative_to(root)}: {importer} has no place in the order of modules")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = IMPORT.match(line)
            if not found or found["module"] not in places or found["module"] == importer:
                continue
            module, where = found["module"], f"{file.relative_to(root)}:{number}"
            if places[module] > places[importer]:
                problems.append(f"{where}: {importer} may not import {module}, which is above it")
            if module.endswith("Output") and importer not in COMPOSERS:
                problems.append(f"{where}: only {', '.join(sorted(COMPOSERS))} may name an output")
            if places[module] <= places["CLinux"]:
                owners.setdefault(module, set()).add(importer)
                if found["access"] != "internal":
                    problems.append(f"{where}: a C module is imported as `internal import {module}`")
    for module, importers in owners.items():
        if len(importers) > 1:
            problems.append(f"{module} is imported by {', '.join(sorted(importers))}; one module only may wrap it")
    return problems


def targets(root: pathlib.Path) -> list[str]:
    """The table of targets in docs/design.md has them in the order in which they may import each other."""
    chapter = (root / "docs" / "design.md").read_text().partition("\n## Targets\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", chapter, re.MULTILINE)
    written = re.findall(r"`([^`]+)`", " ".join(cells))
    expected = [name for name in ORDER if name != "martlet-bench"]
    return [] if written == expected else [
        f"docs/design.md: the targets are {', '.join(written)}, but in scripts/checks/sources.py {', '.join(expected)}"]


def neutrality(root: pathlib.Path) -> list[str]:
    """An output's name stands in outputs' own targets, in the list of plugins, and as the contract's default. Firebase has
    fields for Apple, so outputs may speak of one another; they can't import each other."""
    problems = []
    outputs = {folder.name.removesuffix("Output") for folder in (root / "Sources").glob("*Output")} or {"APNS"}
    for file in swift_files(root, "Sources"):
        target = file.relative_to(root / "Sources").parts[0]
        if target in LISTS or target.startswith(tuple(outputs)):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for output in outputs:
                if output.lower() not in line.lower():
                    continue
                if DEFAULT_OUTPUT not in line:
                    problems.append(f"{file.relative_to(root)}:{number}: names {output} in a neutral place")
    return problems


def locks(root: pathlib.Path) -> list[str]:
    """`Mutex` comes from Threading, which the thread sanitizer's build gives another one."""
    problems = []
    for file in swift_files(root, *SWIFT_FOLDERS):
        name = file.relative_to(root)
        if name.parts[:2] == ("Sources", "Threading"):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = IMPORT.match(line)
            if found and found["module"] == "Synchronization":
                problems.append(f"{name}:{number}: import Threading, which has Mutex and Atomic, in place of Synchronization")
    return problems


def reasons(root: pathlib.Path) -> list[str]:
    """`// why:` stands on the line itself or in the comment directly above it."""
    problems = []
    for file in swift_files(root, "Sources"):
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            found = NEEDS_REASON.search(without_text(line)) or FORMAT_IGNORED.search(line)
            if not found:
                continue
            above = number
            while above > 0 and lines[above - 1].lstrip().startswith(("//", "@")):
                above -= 1
            if not any(REASON.search(text) for text in lines[above:number + 1]):
                problems.append(f"{file.relative_to(root)}:{number + 1}: `{found[0].strip()}` without a `// why:` comment")
    return problems


def terminal(root: pathlib.Path) -> list[str]:
    """Only one file of the command, and one of the log, write to the terminal."""
    problems = []
    for file in swift_files(root, "Sources/MartletCommand", "Sources/SimulatorCommands", "Sources/APNSCommands",
                            "Sources/FCMCommands", "Sources/WebPushCommands", "Sources/martlet", "Sources/MartletService"):
        name = str(file.relative_to(root))
        if name in TERMINAL_OWNERS:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if found := TERMINAL.search(without_text(line)):
                problems.append(f"{name}:{number}: `{found[0].strip()}` writes to the terminal past Support/Printing.swift")
    return problems


def durations(root: pathlib.Path) -> list[str]:
    """A test sets no upper bound on a time that it measures: a busy machine exceeds every bound. For the same reason it sets no
    fixed bounds on the rest of a wait, or on a time of silence."""
    problems = []
    for file in swift_files(root, "Tests"):
        text = file.read_text()
        measured = "|".join({re.escape(name) for name in MEASURED.findall(text)} | {r"\.now\S* - [\w.]+", r"abs\([^()]*\.now[^()]*\)"})
        bounded = re.compile(rf"#(?:expect|require)\(.*?(?:\b|(?=\.)|(?=abs))(?:{measured}) (?:<=?|==) ")
        for number, line in enumerate(text.splitlines(), 1):
            if bounded.search(line):
                problems.append(f"{file.relative_to(root)}:{number}: bounds a measured time: wait for an event, or inject the clock")
            if REMAINING.search(line):
                problems.append(f"{file.relative_to(root)}:{number}: fixed bounds of a running time: subtract the time that has passed")
    return problems


def sizes(root: pathlib.Path) -> list[str]:
    problems = []
    for file in swift_files(root, *SWIFT_FOLDERS):
        length = len(file.read_text().splitlines())
        if length > LONGEST_FILE:
            problems.append(f"{file.relative_to(root)}: {length} lines; split it ({LONGEST_FILE} at most)")
    return problems


def type_sizes(root: pathlib.Path) -> list[str]:
    """What is inside a type, or an extension of its, is at the margin of no file: it ends with the brace that is."""
    lines: dict[tuple[str, str], int] = {}
    for file in swift_files(root, "Sources", "Torture"):
        target = file.relative_to(root).parts[1]
        name = None
        for line in file.read_text().splitlines():
            if name is None and (found := TYPE.match(line)) and not line.rstrip().endswith("}"):
                name = found["name"]
            if name is None:
                continue
            if line.strip() and not line.lstrip().startswith("//"):
                lines[target, name] = lines.get((target, name), 0) + 1
            if line.startswith("}"):
                name = None
    problems = []
    for (target, name), count in sorted(lines.items(), key=lambda item: -item[1]):
        most, _why = LARGE_TYPES.get((target, name), (LARGEST_TYPE, ""))
        if count > most:
            problems.append(f"{target}: {name} and its extensions have {count} lines of code; split it ({most} at most)")
    return problems
