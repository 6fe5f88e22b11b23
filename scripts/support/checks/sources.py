"""Rules about the Swift sources (docs/design.md, "Targets")."""
import pathlib
import re

# A module may import modules before it in this list, but not itself or later ones.
ORDER = [
    "CRabbitMQ", "CLibPQ", "CNGHTTP2", "COpenSSL", "CLinux",
    "Foundations", "Metering", "AMQPClient", "PostgresClient", "HTTPServing", "HTTP2Session", "HTTP2Channel", "HTTP2Pool",
    "PushModel", "CommandSupport", "Contract", "Routing", "Traces", "OutputConformance", "CredentialFormats", "PackageSigning", "MigrationFiles", "Store", "PushSending",
    "APNSOutput", "FCMOutput", "WebPushOutput", "WebhookOutput",
    "DeliveryPipeline", "PushSimulator", "APNSSimulator", "FCMSimulator", "WebPushSimulator", "OutcomeLedger", "MartletConfiguration", "Observability", "MartletWorker",
    "MartletCommand", "APNSCommands", "MartletOutputs", "martlet", "martlet-simulator", "martlet-bench",
]
# The modules that may name an output. All others use the Output protocol.
COMPOSERS = {"APNSCommands", "MartletOutputs", "martlet-bench"}
# The modules that list outputs, and the line in the contract that names the default output.
LISTS = {"MartletOutputs", "martlet-simulator", "martlet-bench"}
DEFAULT_OUTPUT = "static let defaultOutput ="
SWIFT_FOLDERS = ("Sources", "Tests")
LONGEST_FILE = 400
# The maximum lines of code of a type with its extensions in all files of its target, without empty lines and comments.
LARGEST_TYPE = 260
# Larger types, with their maximum and the reason.
LARGE_TYPES = {
    ("AMQPClient", "BrokerLink"): (520, "all calls on one connection of librabbitmq, whose C state has one owner"),
    ("Metering", "MetricFamily"): (320, "one declaration for each metric"),
}
MEASURED = re.compile(r"let (\w+)(?:: \w+)? = [^\n]*\.now\S* - ")
REMAINING = re.compile(r"\((?:[2-9]|\d[\d_]+)\.\.[.<][\d_]+\)\.contains\([^()]*\.(?:retryAfterSeconds|silentSeconds)\b")
# Commands must use their own `print`, which escapes characters that could control the terminal.
TERMINAL = re.compile(r"\bSwift\.(?:print|debugPrint|dump)\b|\b(?:debugPrint|dump|fputs|puts|fwrite|printf)\s*\("
                      r"|\bFileHandle\.standard(?:Output|Error)\b|\bStreamLogHandler\b")
PRINTS = re.compile(r"^\s*(?:return )?print\(", re.MULTILINE)
TERMINAL_OWNERS = {"Sources/CommandSupport/Printing.swift", "Sources/Observability/Log/StandardError.swift"}

TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private|final|indirect)\s+)*"
    r"(?:struct|class|enum|actor|protocol|extension)\s+(?P<name>\w+)")
IMPORT = re.compile(
    r"^\s*(?:@\w+\s+)*(?P<access>public|package|internal|fileprivate|private)?\s*import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(?P<module>\w+)")
# Constructs that end the process or disable a check of the compiler, and coroutines, which allocate memory if they are not
# inlined. Each use needs a comment with its reason.
NEEDS_REASON = re.compile(
    r"\btry!|\bas!|\b(?:fatalError|preconditionFailure|precondition|assertionFailure|unsafeBitCast)\s*\("
    r"|@unchecked\s+Sendable|nonisolated\(unsafe\)|\bunowned\(unsafe\)"
    r"|\b_(?:read|modify)\s*\{")
FORMAT_IGNORED = re.compile(r"//\s*swift-format-ignore")
REASON = re.compile(r"//+\s*why:", re.IGNORECASE)


def swift_files(root: pathlib.Path, *folders: str) -> list[pathlib.Path]:
    return sorted(file for folder in folders for file in (root / folder).rglob("*.swift"))


def without_text(line: str) -> str:
    """Returns the line without string literals and comments, so that words in them do not count."""
    return re.sub(r"//.*", "", re.sub(r'"(?:\\.|[^"\\])*"', '""', line))


def imports(root: pathlib.Path) -> list[str]:
    problems = []
    owners: dict[str, set[str]] = {}
    places = {name: place for place, name in enumerate(ORDER)}
    for file in swift_files(root, "Sources"):
        importer = file.relative_to(root / "Sources").parts[0]
        if importer not in places:
            problems.append(f"{file.relative_to(root)}: {importer} is missing in ORDER")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = IMPORT.match(line)
            if not found or found["module"] not in places or found["module"] == importer:
                continue
            module, where = found["module"], f"{file.relative_to(root)}:{number}"
            if places[module] > places[importer]:
                problems.append(f"{where}: {importer} may not import {module}, which comes after it in ORDER")
            if module.endswith("Output") and importer not in COMPOSERS:
                problems.append(f"{where}: only {', '.join(sorted(COMPOSERS))} may name an output")
            if places[module] <= places["CLinux"]:
                owners.setdefault(module, set()).add(importer)
                if found["access"] != "internal":
                    problems.append(f"{where}: a C module must be imported as `internal import {module}`")
    for module, importers in owners.items():
        if len(importers) > 1:
            problems.append(f"{module} is imported by {', '.join(sorted(importers))}; only one module may wrap it")
    return problems


def targets(root: pathlib.Path) -> list[str]:
    """Checks that the table of targets in docs/design.md has them in the order in which they may import each other."""
    chapter = (root / "docs" / "design.md").read_text().partition("\n## Targets\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", chapter, re.MULTILINE)
    written = re.findall(r"`([^`]+)`", " ".join(cells))
    expected = [name for name in ORDER if name != "martlet-bench"]
    return [] if written == expected else [
        f"docs/design.md: the targets are {', '.join(written)}, but in scripts/support/checks/sources.py {', '.join(expected)}"]


def neutrality(root: pathlib.Path) -> list[str]:
    """Checks that only the targets of outputs, the list of plugins and the contract's default name an output. Targets of
    outputs may name each other, because Firebase has fields for Apple, for example, but they can't import each other."""
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
                    problems.append(f"{file.relative_to(root)}:{number}: names the output {output}, but only targets of outputs may")
    return problems


def locks(root: pathlib.Path) -> list[str]:
    """Checks that `Mutex` comes from Foundations, which replaces it in builds with the thread sanitizer."""
    problems = []
    for file in swift_files(root, *SWIFT_FOLDERS):
        name = file.relative_to(root)
        if name.parts[:2] == ("Sources", "Foundations"):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = IMPORT.match(line)
            if found and found["module"] == "Synchronization":
                problems.append(f"{name}:{number}: import Foundations, which has Mutex and Atomic, instead of Synchronization")
    return problems


def reasons(root: pathlib.Path) -> list[str]:
    """Checks that dangerous constructs have a `// why:` comment, on the same line or directly above."""
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
    """Checks that only one file of the commands, and one of the log, write to the terminal. A file that prints must import
    CommandSupport, because `print` would otherwise be the function of the standard library."""
    problems = []
    for file in swift_files(root, "Sources/CommandSupport", "Sources/MartletCommand", "Sources/APNSCommands", "Sources/martlet",
                            "Sources/martlet-simulator", "Sources/MartletConfiguration", "Sources/Observability", "Sources/MartletWorker"):
        name = str(file.relative_to(root))
        if name in TERMINAL_OWNERS:
            continue
        if PRINTS.search(file.read_text()) and "import CommandSupport\n" not in file.read_text():
            problems.append(f"{name}: prints without `import CommandSupport`")
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if found := TERMINAL.search(without_text(line)):
                problems.append(f"{name}:{number}: `{found[0].strip()}` writes to the terminal without CommandSupport/Printing.swift")
    return problems


def durations(root: pathlib.Path) -> list[str]:
    """Checks that tests set no upper bound on a measured time, because a busy machine exceeds every bound. For the same reason
    they must set no fixed bounds on `retryAfterSeconds` and `silentSeconds`, which change while time passes."""
    problems = []
    for file in swift_files(root, "Tests"):
        text = file.read_text()
        measured = "|".join({re.escape(name) for name in MEASURED.findall(text)} | {r"\.now\S* - [\w.]+", r"abs\([^()]*\.now[^()]*\)"})
        bounded = re.compile(rf"#(?:expect|require)\(.*?(?:\b|(?=\.)|(?=abs))(?:{measured}) (?:<=?|==) ")
        for number, line in enumerate(text.splitlines(), 1):
            if bounded.search(line):
                problems.append(f"{file.relative_to(root)}:{number}: limits a measured time; wait for an event, or inject the clock")
            if REMAINING.search(line):
                problems.append(f"{file.relative_to(root)}:{number}: has fixed bounds for a running time; subtract the time that has passed")
    return problems


def sizes(root: pathlib.Path) -> list[str]:
    problems = []
    for file in swift_files(root, *SWIFT_FOLDERS):
        length = len(file.read_text().splitlines())
        if length > LONGEST_FILE:
            problems.append(f"{file.relative_to(root)}: {length} lines; split it (at most {LONGEST_FILE})")
    return problems


def module_names(root: pathlib.Path) -> list[str]:
    """Checks that no type has the name of its module, which would make qualified names ambiguous."""
    problems = []
    for file in swift_files(root, "Sources"):
        module = file.relative_to(root).parts[1]
        declares = re.compile(
            rf"^(?:\w+ )*(?:struct|class|enum|actor|protocol|typealias) {re.escape(module)}\b", re.MULTILINE)
        if declares.search(file.read_text()):
            problems.append(f"{file.relative_to(root)}: {module} is also the name of the module")
    return problems


def type_sizes(root: pathlib.Path) -> list[str]:
    """Checks the lines of code of each type. A top-level type ends at the first brace without indentation."""
    lines: dict[tuple[str, str], int] = {}
    for file in swift_files(root, "Sources", "Tests/Torture"):
        parts = file.relative_to(root).parts
        target = parts[1] if parts[0] == "Sources" else parts[2]
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
            problems.append(f"{target}: {name} and its extensions have {count} lines of code; split it (at most {most})")
    return problems
