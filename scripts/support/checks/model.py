"""Explores Tests/Torture/Model/delivery.pml with spin: with all its rules, and with each of them removed."""
import pathlib
import re
import shutil
import subprocess
import tempfile

MODEL = "Tests/Torture/Model/delivery.pml"

# The kind of job, and the number of faults. These can be explored within seconds.
SOUND = [
    ("ONCE", {"CRASHES": 1, "LOSSES": 1, "MOVES": 1, "HOLDS": 0}),
    ("ONCE", {"CRASHES": 1, "LOSSES": 0, "MOVES": 0, "HOLDS": 2}),
    ("SPLIT", {"CRASHES": 1, "LOSSES": 0, "MOVES": 0, "HOLDS": 0}),
    ("SPLIT", {"CRASHES": 0, "LOSSES": 0, "MOVES": 1, "HOLDS": 0}),
    ("PLAIN", {"CRASHES": 0, "LOSSES": 1, "MOVES": 0}),
    ("PLAIN", {"CRASHES": 1, "LOSSES": 0, "MOVES": 0}),
]
# The rules, and the kind of job with which spin must find a counterexample if the rule is removed.
BROKEN = {
    "CLAIM": "ONCE", "AGAIN": "ONCE", "BEFORE": "ONCE", "RENAME": "ONCE", "PASS": "ONCE",
    "UNANSWERED": "ONCE",
    "SETTLE": "ONCE", "NAME": "SPLIT",
}


# Other numbers of faults, if the counterexample needs them.
MORE = {"UNANSWERED": {"HOLDS": 2, "MOVES": 0, "CRASHES": 0, "LOSSES": 0}}


def explore(root: pathlib.Path, folder: str, job: str, bounds: dict[str, int], rule: str | None = None) -> str:
    """Explores the model, and returns the output of pan, the verifier that spin generates."""
    words = [f"-D{job}", *(f"-D{name}={value}" for name, value in bounds.items()), *([f"-DWITHOUT_{rule}"] if rule else [])]
    model = str(root / MODEL)
    subprocess.run(["spin", *words, "-a", model], cwd=folder, check=True, capture_output=True, text=True)
    # The first -w suppresses warnings. Only safety is checked, which needs no bookkeeping of cycles.
    subprocess.run(
        ["gcc", "-O1", "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True)
    return subprocess.run(
        ["./pan", "-m1000000", "-w22"], cwd=folder, check=True, capture_output=True, text=True, timeout=600).stdout


def errors(said: str) -> int:
    """Returns the number of errors. Raises an error if the run was cut short, because it proves nothing then."""
    match = re.search(r"errors: (\d+)", said)
    if match is None or "max search depth too small" in said or "out of memory" in said:
        raise ValueError(said[-500:])
    return int(match[1])


def holds(root: pathlib.Path) -> list[str]:
    if shutil.which("spin") is None:
        return ["spin is missing; run scripts/install"]
    problems = []
    for job, bounds in SOUND:
        with tempfile.TemporaryDirectory() as folder:
            if errors(explore(root, folder, job, bounds)):
                problems.append(f"{MODEL}: {job} with {bounds} fails; run scripts/model {job} to see how")
    for rule, job in BROKEN.items():
        with tempfile.TemporaryDirectory() as folder:
            if not errors(explore(root, folder, job, {"CRASHES": 1, **MORE.get(rule, {})}, rule)):
                problems.append(f"{MODEL}: {job} holds without {rule}, so the rule is not needed or the model does not cover it")
    return problems
