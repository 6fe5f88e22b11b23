"""Rules about problems: docs/problems.md lists each kind, and each logged failure has a kind and an event for its end."""
import pathlib
import re

from .events import DOUBLES, NAME

KIND = re.compile(r'\bcase \w+ = "([^"]+)"')
# Failure events that a problem of another kind covers. None marks events of the ledger, which has no list of problems.
ELSEWHERE = {
    "apns.provider_token.failed": "credential.unopened", "broker.connection.failed": "broker.not_consuming",
    "connection.address.failed": "provider.unreachable", "connection.failed": "provider.unreachable",
    "fcm.access_token.failed": "provider.unreachable", "ledger.write.failed": None, "ledger.partitions.failed": None,
}


def kinds(root: pathlib.Path) -> list[str]:
    known = KIND.findall((root / "Sources/Observability/Problems/ProblemKind.swift").read_text())
    rows = set(re.findall(r"^\| `([^`]+)` \|", (root / "docs/problems.md").read_text(), re.MULTILINE))
    problems = [f"docs/problems.md: has no row for the kind {kind}" for kind in known if kind not in rows]
    problems += [f"docs/problems.md: has the unknown kind {kind}" for kind in sorted(rows - set(known))]
    events = {name for file in (root / "Sources").rglob("Events.swift") if not DOUBLES.search(file.parent.name)
              for _, name in NAME.findall(file.read_text())}
    for name in sorted(events):
        if name.endswith(".failed") and ELSEWHERE.get(name, name) not in [*known, None]:
            problems.append(f"ProblemKind.swift: no kind covers the event {name}")
        if name in known and name.endswith(".failed") and name.removesuffix("failed") + "resumed" not in events:
            problems.append(f"{name}: no event {name.removesuffix('failed')}resumed logs its end")
    return problems
