"""Rules about the patches in Tests/Torture/Defects: each must apply to the current sources, and name what it breaks."""
import dataclasses
import pathlib
import re
import subprocess

FOLDER = "Tests/Torture/Defects"
INVARIANTS = "Tests/Torture/TortureRun/Verdict/Invariant.swift"


@dataclasses.dataclass(frozen=True)
class Defect:
    """A patch that reintroduces a former defect. Before the diff it has a sentence that describes the defect, the
    invariant that the defect breaks, and the arguments of a torture run that detects it."""
    file: pathlib.Path
    text: str
    breaks: str
    arguments: list[str]

    @property
    def name(self) -> str:
        return self.file.stem


def read(root: pathlib.Path) -> list[Defect]:
    found = []
    for file in sorted((root / FOLDER).glob("*.patch")):
        head = file.read_text().partition("\n--- ")[0]
        breaks, run = (re.search(rf"^{word}: (.+)$", head, re.MULTILINE) for word in ("Breaks", "Run"))
        found.append(Defect(
            file, head.partition("\n")[0], breaks[1] if breaks else "", run[1].split() if run else []))
    return found


def fit(root: pathlib.Path) -> list[str]:
    problems = []
    invariants = (root / INVARIANTS).read_text()
    for defect in read(root):
        name = defect.file.relative_to(root)
        if not re.search(rf"case {defect.breaks or 'none'}\b", invariants):
            problems.append(f"{name}: 'Breaks: {defect.breaks}' is not an invariant of {INVARIANTS}")
        if "--seed" not in defect.arguments or "--minutes" not in defect.arguments:
            problems.append(f"{name}: 'Run: …' needs --seed and --minutes")
        result = subprocess.run(
            ["git", "apply", "--check", defect.file], cwd=root, capture_output=True, text=True, check=False)
        problems += [f"{name}: {line}" for line in result.stderr.splitlines()]
    return problems
