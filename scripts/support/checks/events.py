"""Rules about log lines: each important one has a stable event name, which docs/errors.md explains."""
import pathlib
import re

CHAPTER = "## Events in the log\n"
NAME = re.compile(r'\bstatic let (\w+) = EventName\("([^"]+)"')
# Matches `logger.warning(.jobRejected, "A job was rejected"`, and calls of functions that pass the same arguments on.
CALL = re.compile(r'\b([a-z]\w*)\(\s*(?:level: \w+, )?\.(\w+),\s*"((?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\])*)"')
NAMELESS = re.compile(r"[lL]ogger\??\.(notice|warning|error|critical)\((?!\s*(?:\.|event,))")
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")
LEVELS = {"info", "notice", "warning", "error", "critical"}
# Simulators log for developers and are not part of a worker.
DOUBLES = re.compile(r"Simulator$|^Foundations$|^martlet-simulator$")


def events(root: pathlib.Path) -> list[str]:
    problems = []
    names: dict[str, str] = {}
    uses: dict[str, dict[str, set[str]]] = {}
    for folder in sorted((root / "Sources").iterdir()):
        files = {file: file.read_text() for file in sorted(folder.rglob("*.swift"))}
        here = {member: name for text in files.values() for member, name in NAME.findall(text)}
        for member, name in here.items():
            if name in names:
                problems.append(f"{folder.name}: the event {name} is defined twice")
            names[name] = folder.name
        for file, text in files.items():
            if not DOUBLES.search(folder.name):
                problems += [f"{file.relative_to(root)}: logger.{level} without an event name" for level in NAMELESS.findall(text)]
            for level, member, sentence in CALL.findall(text):
                if name := here.get(member):
                    use = uses.setdefault(name, {"levels": set(), "sentences": set()})
                    use["sentences"].add(INTERPOLATION.sub("…", sentence))
                    if level in LEVELS:
                        use["levels"].add(level)
    chapter = (root / "docs" / "errors.md").read_text().partition(CHAPTER)[2].partition("\n## ")[0]
    rows = {row[0]: row for row in re.findall(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|", chapter, re.MULTILINE)}
    for name, target in sorted(names.items()):
        use = uses.get(name, {"levels": set(), "sentences": set()})
        if not use["sentences"]:
            problems.append(f"{target}: nothing logs the event {name}")
        if len(use["sentences"]) > 1:
            problems.append(f"{target}: the event {name} has several sentences: {' / '.join(sorted(use['sentences']))}")
        if name not in rows:
            problems.append(f"docs/errors.md: has no event {name} ({', '.join(sorted(use['levels']))}: {'/'.join(use['sentences'])})")
            continue
        _, levels, sentence = rows[name]
        if missing := use["levels"] - set(re.split(r",\s*", levels)):
            problems.append(f"docs/errors.md: {name} is logged as {', '.join(sorted(missing))}")
        if use["sentences"] and sentence not in use["sentences"]:
            problems.append(f"docs/errors.md: {name} must have the sentence: {'/'.join(use['sentences'])}")
    return problems + [f"docs/errors.md: nothing logs the event {name}" for name in sorted(set(rows) - set(names))]
