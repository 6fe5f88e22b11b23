"""Rules about documents: links resolve, examples are valid, and the schemas and API documents are consistent."""
import json
import pathlib
import re

import jsonschema
import yaml

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MERGE_MARK = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
URL_HOST = re.compile(r"\b(?:https?|amqps?|postgres(?:ql)?)://(?:[^\s/@\"'`]*@)?(\[[0-9a-f:]+\]|[\w.-]+)")
# Loopback addresses, names that RFC 2606 and RFC 6761 reserve, and names without a dot, which no host on the Internet has.
HARMLESS_HOST = re.compile(
    r"^(?:[\w-]+|127\.\d+\.\d+\.\d+|\[::1\]|localhost|(?:.*\.)?(?:example|test|invalid|localhost)|(?:.*\.)?example\.(?:com|org|net))$")
# Hosts that are shown to users, or that name a scope, an audience or a VAPID subject. No test or script connects
# to them.
MENTIONED_HOSTS = {"www.swift.org", "www.w3.org", "www.googleapis.com", "oauth2.googleapis.com", "yourdomain.com"}


def markdown_files(root: pathlib.Path) -> list[pathlib.Path]:
    """Returns all pages but those of docs/site, whose links are relative to the built site."""
    pages = (file for file in (root / "docs").rglob("*.md") if file.parent.name != "site")
    return sorted([*root.glob("*.md"), *pages])


def anchor(heading: str) -> str:
    text = re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text))


def links(root: pathlib.Path) -> list[str]:
    problems = []
    for file in markdown_files(root):
        for target in LINK.findall(FENCE.sub("", file.read_text())):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, fragment = target.partition("#")
            destination = (file.parent / path).resolve() if path else file
            if not destination.exists():
                problems.append(f"{file.relative_to(root)}: {target} does not exist")
            elif fragment and destination.suffix == ".md":
                prose = FENCE.sub("", destination.read_text())
                if fragment not in {anchor(heading) for heading in HEADING.findall(prose)}:
                    problems.append(f"{file.relative_to(root)}: {target}: no such heading")
    return problems


def merges(root: pathlib.Path) -> list[str]:
    """Checks that no document has a merge marker."""
    return [f"{file.relative_to(root)}: has a merge marker"
            for file in markdown_files(root) if MERGE_MARK.search(file.read_text())]


def schemas(root: pathlib.Path) -> list[str]:
    problems = []
    for file in sorted((root / "docs" / "schema").glob("*.json")):
        try:
            jsonschema.Draft202012Validator.check_schema(json.loads(file.read_text()))
        except (ValueError, jsonschema.SchemaError) as error:
            problems.append(f"{file.relative_to(root)}: {str(error).splitlines()[0]}")
    return problems


def validator(root: pathlib.Path, name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((root / "docs" / "schema" / f"{name}.schema.json").read_text())
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def examples(root: pathlib.Path) -> list[str]:
    """Checks each JSON example of a job or a result event in the documents against its schema."""
    problems = []
    found = {"job": 0, "event": 0}
    for file in markdown_files(root):
        for language, text in FENCE.findall(file.read_text()):
            if language != "json":
                continue
            try:
                value = json.loads(text)
            except ValueError as error:
                problems.append(f"{file.relative_to(root)}: a JSON example is not valid: {error}")
                continue
            kind = "event" if "kind" in value else "job" if "recipients" in value or "channel" in value else None
            if kind:
                found[kind] += 1
                for error in validator(root, kind).iter_errors(value):
                    problems.append(f"{file.relative_to(root)}: an example {kind}: {error.json_path}: {error.message}")
    problems += [f"the documents have no example of a {kind}" for kind, count in found.items() if count == 0]
    return problems


def asyncapi(root: pathlib.Path) -> list[str]:
    """Checks that references resolve, and that each operation's messages belong to its channel."""
    file = root / "docs" / "asyncapi.yaml"
    if not file.exists():
        return ["docs/asyncapi.yaml is missing"]
    document = yaml.safe_load(file.read_text())
    problems = dangling(file, document)
    if not str(document.get("asyncapi", "")).startswith("3."):
        problems.append("asyncapi: must be version 3")
    for name, operation in document.get("operations", {}).items():
        channel = operation.get("channel", {}).get("$ref", "")
        for message in operation.get("messages", []):
            if not message["$ref"].startswith(f"{channel}/messages/"):
                problems.append(f"operation {name}: {message['$ref']} does not belong to {channel}")
    return [f"{file.relative_to(root)}: {problem}" for problem in problems]


def openapi(root: pathlib.Path) -> list[str]:
    """Checks that references resolve, that each body has a schema, and that each operation has an id and an answer 200."""
    problems = []
    files = sorted((root / "docs").glob("*.openapi.yaml"))
    for file in files:
        document = yaml.safe_load(file.read_text())
        faults = dangling(file, document)
        if not str(document.get("openapi", "")).startswith("3.1."):
            faults.append("must be OpenAPI 3.1")
        for path, operations in document.get("paths", {}).items():
            for method, operation in operations.items():
                answers = operation.get("responses", {})
                bodies = [operation.get("requestBody", {}), *(answers[status] for status in answers if status == "200")]
                if "operationId" not in operation or "200" not in answers:
                    faults.append(f"{method} {path}: has no operationId, or no answer 200")
                if any("schema" not in kind for body in bodies for kind in body.get("content", {}).values()):
                    faults.append(f"{method} {path}: a body has no schema")
        problems += [f"{file.relative_to(root)}: {fault}" for fault in faults]
    return problems if files else ["docs has no OpenAPI document"]


def dangling(file: pathlib.Path, document) -> list[str]:
    """Returns the references that do not resolve, within the document or to another file."""
    problems = []

    def walk(value) -> None:
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str) and not resolves(reference):
                problems.append(f"{reference} does not resolve")
            for part in value.values():
                walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)

    def resolves(reference: str) -> bool:
        path, _, pointer = reference.partition("#")
        if path:
            return (file.parent / path).exists()
        place = document
        for part in pointer.strip("/").split("/"):
            part = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(place, dict) or part not in place:
                return False
            place = place[part]
        return True

    walk(document)
    return problems


# Matches a reason. Google's reasons are in capitals, and all others in camel case.
REASON = r"(?:[A-Z][a-z]+(?:[A-Z][A-Za-z]*)?|[A-Z]+(?:_[A-Z]+)+|[A-Z]{8,})"
# The title of the table of reasons that outcomes of any output may have.
COMMON = "all outputs"
# Texts that look like a reason but are none: a push type in Apple's channel management, a reason of a rejected job, and header
# fields of Web Push.
NO_REASONS = {"LiveActivity", "UnsuitableCredential", "Topic", "Urgency"}


def reasons(root: pathlib.Path) -> list[str]:
    """Checks that the tables in docs/errors.md, one for each output and one for all, have exactly the reasons in the code."""
    page = root / "docs" / "errors.md"
    chapter = re.search(r"^## Reasons in outcomes\n(.*?)(?=^## |\Z)", page.read_text(), re.MULTILINE | re.DOTALL)
    if not chapter:
        return ["docs/errors.md: has no section Reasons in outcomes"]
    tables = {}
    for section in re.split(r"^### ", chapter[1], flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        cells = re.findall(r"^\| ([^|]*) \|", text, re.MULTILINE)
        tables[title.strip().lower()] = set(re.findall(rf"`({REASON})`", " ".join(cells)))
    known = {COMMON: set().union(*(reasons_in(root, name) for name in ("DeliveryPipeline", "PushModel", "PushSending")))}
    for folder in sorted((root / "Sources").glob("*Output")):
        known[folder.name.removesuffix("Output").lower()] = reasons_in(root, folder.name)
    # The code classifies some of a provider's reasons only by status. The tests list those.
    for file in (root / "Tests").rglob("*ReasonTests.swift"):
        output = file.name.removesuffix("ReasonTests.swift").lower()
        known.setdefault(output, set()).update(re.findall(rf'\(\d+, "({REASON})", \.', file.read_text()))
    problems = []
    for name, reasons in known.items():
        written = tables.get(name, set())
        told = set().union(*tables.values()) if name == COMMON else written | tables.get(COMMON, set())
        problems += [f"has no reason {reason} for {name}" for reason in sorted(reasons - told)]
        problems += [f"has a reason {reason} for {name}, which the code does not use" for reason in sorted(written - reasons)]
    return [f"docs/errors.md: {problem}" for problem in problems]


def reasons_in(root: pathlib.Path, target: str) -> set[str]:
    """Returns the strings that look like a reason in the sources of a target."""
    found = set()
    for file in (root / "Sources" / target).rglob("*.swift"):
        code = re.sub(r"//.*", "", file.read_text())
        found.update(re.findall(rf'"({REASON})"', code))
    return found - NO_REASONS


def metric_names(root: pathlib.Path) -> set[str]:
    """Returns the names of all metric families of a worker."""
    code = "".join(file.read_text() for file in sorted((root / "Sources").rglob("MetricFamily+*.swift")))
    return {("martlet_" if 'prefix: ""' not in rest else "") + name
            for name, rest in re.findall(r'= Self\(\s*"([a-z_]+)",(.*?)(?=\bstatic let\b|\Z)', code, re.DOTALL)}


def metrics(root: pathlib.Path) -> list[str]:
    """Checks that the tables in docs/monitoring.md have exactly the metrics of a worker."""
    shown = metric_names(root)
    rows = re.findall(r"^\| (`(?:martlet|process)_[^|]*) \|", (root / "docs" / "monitoring.md").read_text(), re.MULTILINE)
    written = set(re.findall(r"`((?:martlet|process)_[a-z_]+)", " ".join(rows)))
    return [f"docs/monitoring.md: lacks {name}" for name in sorted(shown - written)] + [
        f"docs/monitoring.md: no worker has the metric {name}" for name in sorted(written - shown)]


def job_fields(root: pathlib.Path) -> list[str]:
    """Checks that the schema of a job has exactly the fields that are read, and that docs/publish.md has a row for each."""
    code = (root / "Sources" / "PushModel" / "Job" / "JobField.swift").read_text()
    fields = set(re.findall(r'case \.\w+: "([a-z_]+)"', code))
    schema = set(json.loads((root / "docs" / "schema" / "job.schema.json").read_text())["properties"])
    rows = re.findall(r"^\| `([a-z_]+)` \|", (root / "docs" / "publish.md").read_text(), re.MULTILINE)
    return [f"docs/schema/job.schema.json: lacks {name}" for name in sorted(fields - schema)] + [
        f"docs/schema/job.schema.json: jobs have no field {name}" for name in sorted(schema - fields)] + [
        f"docs/publish.md: lacks {name}" for name in sorted(fields - set(rows))]


def hosts(root: pathlib.Path) -> list[str]:
    """Checks that tests and scripts connect only to this machine."""
    problems = []
    folders = ("Tests", "scripts", "examples/demo", ".ci")
    files = [root / "Makefile", *(file for folder in folders for file in (root / folder).rglob("*") if file.is_file())]
    for file in files:
        if not file.exists() or file.suffix == ".pyc" or file.is_relative_to(root / "Tests" / "Fuzzing" / "Corpus"):
            continue
        for host in URL_HOST.findall(file.read_text(errors="replace")):
            if not HARMLESS_HOST.match(host) and host not in MENTIONED_HOSTS:
                problems.append(f"{file.relative_to(root)}: names {host}, which is not this machine")
    return problems
